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
  say,
  type Looks,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

const phone = { width: 390, height: 844, touch: true } as const;

describe('the app shell', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let garden: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
  });
  beforeEach(async () => {
    ben = await app.person('Ben');
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    garden = (await ann.send('channel:create', { serverId, name: 'garden' })).channel.id;
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const path = () => `/s/${serverId}/${general}`;
  const reading = (looks: Looks = {}) => openBrowser(app, { as: ben, path: path(), ...looks });
  const blank = () => openBrowser(app, { as: ben, path: undefined });
  const icon = (page: Page) => page.locator('link[rel=icon]').getAttribute('href');

  it('UX-67 the tab shows unread messages in its title and icon, until they are read', async () => {
    const { page } = await reading();
    const named = (name: string) =>
      eventually(async () => expect(await page.title()).to.equal(name));
    await named('#general – Place');
    expect(await icon(page)).to.equal('/icon.svg');
    await ann.send('message:send', { timelineId: garden, body: 'Come and see' });
    await named('• #general – Place');
    expect(await icon(page)).to.match(/icon-unread\.svg$/);
    expect(
      (await page.request.get(`${app.url}/icon-unread.svg`)).headers()['content-type'],
    ).to.match(/svg/);
    await page.getByRole('link', { name: 'garden, 1 unread' }).click();
    await named('#garden – Place');
    expect(await icon(page)).to.match(/icon\.svg$/);
  });

  it('UX-69 the theme applies before scripts load', async () => {
    for (const [system, chosen] of [
      ['light', 'dark'],
      ['dark', 'light'],
    ] as const) {
      const { page } = await openBrowser(app, { as: ben, theme: system });
      await composer(page).waitFor();
      await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
      await page.getByRole('menuitemradio', { name: chosen }).click();
      await page.route(/\/assets\/.*\.js$/, () => undefined);
      await page.goto(`${app.url}/?again`, { waitUntil: 'commit' });
      await page.locator('noscript').waitFor({ state: 'attached' });
      // The style sheet may still be loading.
      await eventually(async () => {
        const scheme = await page.evaluate(
          () => getComputedStyle(document.documentElement).colorScheme,
        );
        expect(scheme).to.equal(chosen);
      });
      expect(await page.locator('#app').innerHTML()).to.equal('');
    }
  });

  it('UX-69 uses the chosen theme, not the system’s, and keeps it', async () => {
    const { page } = await reading();
    const ground = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    await composer(page).waitFor();
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await eventually(async () => expect(await ground()).to.equal('dark'));
    await page.reload();
    await composer(page).waitFor();
    expect(await ground()).to.equal('dark');
  });

  it('UX-16 the script that identifies a build names every other part', async () => {
    const script = await (await fetch(app.url + (ann.ready.client ?? ''))).text();
    const { page } = await reading();
    await composer(page).waitFor();
    const loaded = await page.evaluate(() =>
      performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname),
    );
    const parts = loaded.filter((path) => /assets\/(app|icons|controls)-.*js$/.test(path));
    expect(parts).not.to.be.empty;
    for (const path of parts) expect(script).to.include(path.split('/').at(-1));
  });

  it('UX-16 an outdated page offers the update, and does not force it', async () => {
    const { page } = await blank();
    const settle = await update(page);
    await page.goto(app.url + path());
    await composer(page).fill('Half a thought');
    const banner = page.getByRole('status').getByText('Parley was updated.');
    await banner.waitFor();
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Later' }).click();
    await banner.waitFor({ state: 'detached' });
    await page.reload();
    await banner.waitFor();
    settle();
    await page.getByRole('button', { name: 'Reload to update' }).click();
    await banner.waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await composer(page).inputValue()).to.equal('Half a thought'),
    );
    expect(await banner.count()).to.equal(0);
  });

  it('UX-16 a part that does not load offers a reload, which loads it', async () => {
    const { page, forgive } = await blank();
    forgive(/Failed to load|net::ERR_FAILED|404/);
    await page.route(/\/assets\/app-.*\.js$/, (route) => route.abort());
    await page.goto(app.url + path());
    await page.getByRole('status').getByText('Part of Parley didn’t load').waitFor();
    await expectAccessible(page);
    await page.unroute(/\/assets\/app-.*\.js$/);
    await page.getByRole('button', { name: 'Reload' }).click();
    await composer(page).waitFor();
  });

  it('a sign-in page that does not load offers a reload, and is not requested for a signed-in person', async () => {
    const { page, forgive } = await openBrowser(app, { path: undefined });
    forgive(/Failed to load|net::ERR_FAILED/);
    const entrance = /\/assets\/entrance-.*\.js$/;
    await page.route(entrance, (route) => route.abort());
    await page.goto(app.url);
    await page.getByRole('status').getByText('Part of Parley didn’t load').waitFor();
    await expectAccessible(page);
    await page.unroute(entrance);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByLabel('Your name').fill('Guest');
    await page.getByRole('button', { name: 'Continue as guest' }).click();
    await composer(page).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.reload();
    await composer(page).waitFor();
    expect(asked.filter((url) => entrance.test(url))).to.deep.equal([]);
  });

  it('changes that arrive while scripts load are not lost', async () => {
    const { page } = await blank();
    let pass: (() => void) | undefined;
    await page.route(/\/assets\/app-.*\.js$/, async (route) => {
      await new Promise<void>((resolve) => (pass = resolve));
      await route.continue();
    });
    const connecting = page.waitForEvent('websocket');
    await page.goto(app.url + path());
    const socket = await connecting;
    let questions = 0;
    socket.on(
      'framesent',
      ({ payload }) => (questions += Number(String(payload).includes('"sync"'))),
    );
    const announced = (what: string) =>
      socket.waitForEvent('framereceived', ({ payload }) => String(payload).includes(what));
    const joined = announced('"server:joined"');
    await eventually(() => expect(pass).to.exist);
    await ben.send('server:create', { name: 'Another place' });
    await joined;
    pass?.();
    await page.getByRole('link', { name: 'Another place' }).waitFor();
    // The page received it, and did not ask.
    expect(questions).to.equal(0);
  });

  it('UX-68 on a phone the composer stays above the keyboard', async () => {
    const { page } = await reading(phone);
    await composer(page).tap();
    const bottom = async () => {
      const box = await page.getByRole('form', { name: 'Write a message' }).boundingBox();
      return box!.y + box!.height;
    };
    expect(await bottom()).to.equal(phone.height);
    // Like iOS: the page keeps its height, and less of it is visible.
    await seeOnly(page, 500);
    expect(await bottom()).to.equal(500);
    await say(page, 'Typed with thumbs');
    await page.getByRole('button', { name: 'Send' }).tap();
    await inState(message(page, 'Typed with thumbs'), 'sent').waitFor();
    await seeOnly(page, phone.height);
    expect(await bottom()).to.equal(phone.height);
  });

  it('UX-68 on a phone fields are large enough not to zoom the page', async () => {
    const { page } = await reading(phone);
    const sizes = () =>
      page
        .locator('input:not([hidden]), textarea, select')
        .evaluateAll((fields) =>
          fields.map((field) => parseFloat(getComputedStyle(field).fontSize)),
        );
    await composer(page).waitFor();
    await ben.send('message:send', { timelineId: general, body: 'Mine' });
    await message(page, 'Mine').waitFor();
    await composer(page).press('ArrowUp');
    await page.getByRole('textbox', { name: 'Edit message' }).waitFor();
    expect(Math.min(...(await sizes()))).to.be.at.least(16);
    const stranger = await openBrowser(app, phone);
    for (const tab of ['Sign in', 'Register']) {
      await stranger.page.getByRole('tab', { name: tab }).tap();
      const fields = stranger.page.locator('input');
      await eventually(async () => expect(await fields.count()).to.be.at.least(2));
      for (const field of await fields.all())
        expect(
          await field.evaluate((input) => parseFloat(getComputedStyle(input).fontSize)),
        ).to.be.at.least(16);
    }
  });
});

/** Makes the server announce another script, as after an update. Returns a function that undoes this. */
async function update(page: Page): Promise<() => void> {
  let updated = true;
  await page.routeWebSocket(/socket\.io/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => server.send(frame));
    server.onMessage((frame) => {
      const newer = String(frame).replace(/"client":"[^"]+"/, '"client":"/assets/newer.js"');
      socket.send(updated ? newer : frame);
    });
  });
  return () => void (updated = false);
}

async function seeOnly(page: Page, height: number): Promise<void> {
  await page.evaluate((height) => {
    Object.defineProperty(visualViewport!, 'height', { configurable: true, value: height });
    visualViewport!.dispatchEvent(new Event('resize'));
  }, height);
}
