import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
  serverAway,
} from '../support/browser.ts';
import { tap } from '../support/socket-tap.ts';
import type { Person } from '../support/person.ts';

const blip = 1_000;

describe('the connection', () => {
  let app: TestApp;
  let ben: Person;

  beforeEach(async () => {
    app = await startSite();
    ben = await app.guest('Ben');
  });
  afterEach(closeWindows);
  afterEach(() => app.close());

  const banner = (page: Page) => page.getByRole('status').getByText('Reconnecting…');
  const hidden = (page: Page) => page.evaluate(() => document.querySelector('.banner') === null);
  const wait = (page: Page) =>
    page
      .getByText(/Next try in \d+ s/)
      .innerText()
      .then((text) => Number(/(\d+) s/.exec(text)?.[1]));

  const lobbyOf = async (person: Person) => {
    const [lobby] = (await person.send('server:list', {})).servers;
    return lobby?.defaultChannelId ?? '';
  };

  async function openPausedPage() {
    const window = await openBrowser(app, { as: ben, path: undefined });
    window.forgive(serverAway);
    await window.page.clock.install();
    await window.page.goto(app.url);
    await composer(window.page).fill('Half a thought');
    await window.page.clock.pauseAt(Date.now() + 60_000);
    return window;
  }

  it('asks to reload a page of another version, and does not retry', async () => {
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    let tries = 0;
    await page.routeWebSocket(/socket\.io/, (socket) => {
      tries += 1;
      const server = socket.connectToServer();
      socket.onMessage((frame) => {
        server.send(String(frame).replace('"protocol":1', '"protocol":0'));
      });
    });
    await page.clock.install();
    await page.goto(app.url);
    await page.getByText('A new version is available. Reload to continue.').waitFor();
    await page.clock.runFor(60_000);
    expect(tries).to.equal(1);
    await page.getByRole('button', { name: 'Reload' }).waitFor();
  });

  it('repeats requests that were not answered after a reconnect, even while the page is hidden', async () => {
    const { page, forgive } = await openBrowser(app, { as: ben, path: undefined });
    forgive(serverAway);
    const line = await tap(page);
    await page.goto(app.url);
    await composer(page).waitFor();
    await page.getByText('No messages yet.').waitFor();
    await page.evaluate(() => Object.defineProperty(document, 'hidden', { value: true }));
    const asked = line.delay(/"sync"/);
    await page.context().setOffline(true);
    const ann = await app.guest('Ann');
    await ann.send('message:send', { timelineId: await lobbyOf(ann), body: 'Meanwhile' });
    await page.context().setOffline(false);
    await asked;
    line.lose();
    await message(page, 'Meanwhile').waitFor();
  });

  it('reads everything again from a restored database', async () => {
    const { page, forgive } = await openBrowser(app, { as: ben });
    forgive(serverAway);
    await say(page, 'Before');
    await inState(message(page, 'Before'), 'sent').waitFor();
    await query(app.db, `update settings set value = 'restored' where key = 'life'`);
    await query(app.db, `update messages set body = 'As it was'`);
    await message(page, 'As it was').waitFor();
    expect(await message(page, 'Before').count()).to.equal(0);
    const ann = await app.guest('Ann');
    await ann.send('message:send', { timelineId: await lobbyOf(ann), body: 'And on' });
    await message(page, 'And on').waitFor();
    await page.getByRole('button', { name: 'Ann Guest' }).waitFor();
  });

  it('UX-11 is replaced, if dead but open, as soon as the page becomes visible', async () => {
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const line = await tap(page);
    await page.clock.install();
    await page.goto(app.url);
    await page.getByText('No messages yet.').waitFor();
    line.cut();
    const ann = await app.guest('Ann');
    await ann.send('message:send', { timelineId: await lobbyOf(ann), body: 'Meanwhile' });
    await page.clock.runFor(10_000);
    expect(await message(page, 'Meanwhile').count()).to.equal(0);
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await page.clock.runFor(2_000);
    await message(page, 'Meanwhile').waitFor();
    expect(await hidden(page)).to.be.true;
  });

  it('says that WebSocket is blocked if the server answers over HTTP but no socket opens', async () => {
    const { page, forgive } = await openBrowser(app, { as: ben, path: undefined });
    forgive(serverAway);
    await page.routeWebSocket(/socket\.io/, (socket) => socket.close());
    await page.goto(app.url);
    await page.getByText('blocks its live connection (WebSocket)').waitFor();
    await expectAccessible(page);
    await page.unrouteAll();
  });

  it('UX-10 hides a short outage', async () => {
    const { page } = await openPausedPage();
    await page.context().setOffline(true);
    await page.clock.runFor(blip - 100);
    expect(await hidden(page)).to.be.true;
    await page.context().setOffline(false);
    await say(page, 'Still here');
    await page.clock.runFor(50);
    await inState(message(page, 'Still here'), 'sent').waitFor();
    await page.clock.runFor(2 * blip);
    expect(await hidden(page)).to.be.true;
  });

  it('UX-10, UX-11 reports a longer outage, counts down to the next try, and keeps focus and text', async () => {
    const { page } = await openPausedPage();
    await page.context().setOffline(true);
    await page.clock.runFor(blip);
    await banner(page).waitFor();
    // Each wait is longer than the one before. Continue until it is long enough to count down.
    while ((await wait(page)) < 3) await page.clock.runFor(3_000);
    const before = await wait(page);
    await page.clock.runFor(1_000);
    await eventually(async () => expect(await wait(page)).to.be.below(before));
    await page.locator('#composer:focus').waitFor();
    await composer(page).press('End');
    await page.keyboard.type(' and more');
    expect(await composer(page).inputValue()).to.equal('Half a thought and more');
    await page.context().setOffline(false);
    await page.clock.runFor(50);
    await banner(page).waitFor({ state: 'detached' });
    await page.locator('#composer:focus').waitFor();
  });

  it('UX-10 on a phone shows its banner above the list, with the next try in a sentence', async () => {
    const { page, forgive } = await openBrowser(app, {
      ...{ as: ben, width: 390, height: 844, touch: true },
      path: '/direct',
    });
    forgive(serverAway);
    const title = page.getByRole('heading', { level: 1, name: 'Direct messages' });
    const tabs = page.getByRole('navigation', { name: 'Parley' });
    await title.waitFor();
    const foot = await tabs.boundingBox();
    await page.context().setOffline(true);
    await banner(page).waitFor();
    const { y, height } = (await page.locator('.banner').boundingBox())!;
    expect((await title.boundingBox())!.y).to.be.at.least(y + height);
    expect(await tabs.boundingBox()).to.deep.equal(foot);
    await page.getByText(/^Reconnecting… Next try in \d+ s\./).waitFor();
    await expectAccessible(page);
    await page.context().setOffline(false);
    await banner(page).waitFor({ state: 'detached' });
  });

  it('UX-10 shows its banner above questions', async () => {
    const ann = await app.guest('Ann');
    const { conversation } = await ann.send('conversation:create', { userIds: [ben.id] });
    await ann.send('message:send', { timelineId: conversation.id, body: 'Hello' });
    const path = `/direct/${conversation.id}`;
    const { page, forgive } = await openBrowser(app, { as: ben, path });
    forgive(serverAway);
    const question = page.getByRole('region', { name: 'Message request' });
    await question.waitFor();
    await page.context().setOffline(true);
    await banner(page).waitFor();
    const { y, height } = (await page.locator('.banner').boundingBox())!;
    expect((await question.boundingBox())!.y).to.be.at.least(y + height);
    await page.context().setOffline(false);
    await banner(page).waitFor({ state: 'detached' });
  });

  for (const [what, happen] of [
    [
      'Retry now is pressed',
      (page: Page) => page.getByRole('button', { name: 'Retry now' }).click(),
    ],
    [
      'the network is back',
      (page: Page) => page.evaluate(() => dispatchEvent(new Event('online'))),
    ],
    [
      'somebody looks again',
      (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange'))),
    ],
  ] as const)
    it(`UX-10, UX-15 tries at once when ${what}`, async () => {
      const { page } = await openPausedPage();
      let tries = 0;
      page.on('websocket', () => (tries += 1));
      const { where, url } = app;
      await app.close();
      await page.clock.runFor(blip);
      await banner(page).waitFor();
      app = await startSite({ PORT: new URL(url).port }, where);
      // The clock stands still, so no attempt starts by itself.
      await page.getByText(/Next try in \d+ s/).waitFor();
      const known = tries;
      await happen(page);
      await banner(page).waitFor({ state: 'detached' });
      expect(tries).to.equal(known + 1);
    });
});
