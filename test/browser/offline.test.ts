import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  serverAway,
  type BrowserWindow,
} from '../support/browser.ts';
import { startBuildProxy, type BuildProxy } from '../support/build-proxy.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

describe('the app without a network', () => {
  let app: TestApp;
  let proxy: BuildProxy;
  let ann: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off' });
    proxy = await startBuildProxy(app.url);
    ann = await app.person('Ann');
    place = await openPlace(ann);
  });
  afterEach(async () => {
    await closeWindows();
    Object.assign(proxy, { build: undefined, status: undefined });
  });
  after(async () => {
    proxy.close();
    await app.close();
  });

  const path = () => `/s/${place.serverId}/${place.channelId}`;
  const open = (as = ann) =>
    openBrowser({ ...app, url: proxy.url }, { as, path: path(), ahead: true });
  const buildOf = (page: Page) =>
    page.evaluate(() => document.querySelector('meta[name="build"]')?.getAttribute('content'));
  const builds = (page: Page) =>
    page.evaluate(async () => {
      const names = (await caches.keys()).filter((name) => name.startsWith('shell.'));
      const pages = await Promise.all(
        names.map(async (name) => (await caches.open(name)).match('/')),
      );
      return names.filter((_, i) => pages[i]);
    });
  const databases = (page: Page) =>
    page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  /** The rooms whose state the page has saved. */
  const savedRooms = (page: Page) =>
    page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          const opened = indexedDB.open('parley.last-seen');
          opened.onsuccess = () => {
            const { result: db } = opened;
            const found = db.transaction('lastSeen').objectStore('lastSeen').getAll();
            found.onsuccess = () => {
              db.close();
              resolve(JSON.stringify(found.result));
            };
          };
        }),
    );
  const hide = (page: Page) =>
    page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { configurable: true, value: true });
      document.dispatchEvent(new Event('visibilitychange'));
      Object.defineProperty(document, 'hidden', { configurable: true, value: false });
    });
  /** Waits until the files of some builds are on the device, and the page has begun to save what the user sees. */
  const isSaved = (page: Page, count = 1) =>
    eventually(async () => {
      expect(await builds(page)).to.have.lengthOf(count);
      expect(await page.evaluate(() => navigator.serviceWorker.controller?.state)).to.equal(
        'activated',
      );
      expect(await databases(page)).to.include('parley.last-seen');
      expect(await savedRooms(page)).to.include(`:${place.channelId}"`);
    });
  const goOffline = async ({ page, forgive }: BrowserWindow) => {
    forgive(serverAway);
    await page.context().setOffline(true);
  };
  const say = (by: Person, body: string) =>
    by.send('message:send', { timelineId: place.channelId, body });

  it('opens with the places and messages seen last, sends new ones later, and catches up', async () => {
    const { serverId, channelId } = place;
    await say(ann, 'seen before');
    const { channel } = await ann.send('channel:create', { serverId, name: 'plans' });
    const window = await open();
    const { page } = window;
    await message(page, 'seen before').waitFor();
    await isSaved(page);
    await page.getByRole('link', { name: 'plans' }).click();
    await page.getByRole('heading', { name: 'The start of #plans' }).waitFor();
    await hide(page);
    await eventually(async () => {
      const rooms = await savedRooms(page);
      for (const id of [serverId, channelId, channel.id]) expect(rooms).to.include(`:${id}"`);
    });
    await goOffline(window);
    await page.goto(proxy.url);
    await page.getByText('Reconnecting…').waitFor();
    await page.getByRole('heading', { name: 'The start of #plans' }).waitFor();
    await page.getByRole('link', { name: 'general' }).click();
    await message(page, 'seen before').waitFor();
    await saveScreenshots(page, 'offline');
    await expectAccessible(page);
    await composer(page).fill('written on the way');
    await composer(page).press('Enter');
    await inState(message(page, 'written on the way'), 'pending').waitFor();
    const other = await ann.newTab();
    await say(other, 'said meanwhile');
    await other.send('channel:update', { channelId: channel.id, name: 'schemes' });
    await page.context().setOffline(false);
    await inState(message(page, 'written on the way'), 'sent').waitFor();
    await page.getByRole('link', { name: 'schemes' }).waitFor();
    const { messages } = await other.send('message:list', { timelineId: channelId, limit: 50 });
    const bodies = messages.map((row) => ('body' in row ? row.body : ''));
    expect(bodies).to.deep.equal(['seen before', 'said meanwhile', 'written on the way']);
    await eventually(async () => {
      const shown = await page.getByRole('article').allInnerTexts();
      expect(shown.map((text) => bodies.findIndex((body) => text.includes(body)))).to.deep.equal([
        0, 1, 2,
      ]);
    });
  });

  it('shows nothing after the user has signed out, here or elsewhere', async () => {
    for (const how of ['here', 'elsewhere'] as const) {
      const eve = await app.person('Eve');
      const { invite } = await ann.send('invite:create', { serverId: place.serverId });
      await eve.send('server:join', { code: invite.code });
      await say(ann, `for ${how}`);
      const window = await open(eve);
      const { page } = window;
      await message(page, `for ${how}`).waitFor();
      await isSaved(page);
      await page.reload();
      await message(page, `for ${how}`).waitFor();
      if (how === 'elsewhere') await eve.send('session:logout', {});
      else {
        await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
        await page.getByRole('menuitem', { name: 'Sign out' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
      }
      await page.getByRole('tab', { name: 'Sign in' }).waitFor();
      await eventually(async () =>
        expect(await databases(page)).not.to.include('parley.last-seen'),
      );
      await goOffline(window);
      await page.reload();
      await page.getByText('No connection to the server').waitFor();
      expect(await page.getByText(`for ${how}`).count()).to.equal(0);
    }
  });

  it('opens a newer build after at most one reload', async () => {
    const { page } = await open();
    await composer(page).waitFor();
    await isSaved(page);
    proxy.build = 'next';
    await page.goto(proxy.url + path());
    expect(await buildOf(page)).to.equal(undefined);
    await page.reload();
    expect(await buildOf(page)).to.equal('next');
    await isSaved(page, 2);
    await page.goto(proxy.url + path());
    expect(await buildOf(page)).to.equal('next');
    proxy.build = 'last';
    await page.goto(proxy.url + path());
    await eventually(async () => {
      expect(await builds(page)).to.deep.equal(['shell.next', 'shell.last']);
    });
  });

  it('shows the answer of the server to a reload, unless the server fails', async () => {
    const { page, forgive } = await open();
    await composer(page).waitFor();
    await isSaved(page);
    forgive(/status of 50|status of 40|WebSocket|ERR_/);
    proxy.status = 503;
    await page.reload();
    await page.getByText('Reconnecting…').waitFor();
    proxy.status = 403;
    const answer = await page.reload();
    expect(answer?.status()).to.equal(403);
  });
});
