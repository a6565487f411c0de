import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import { fillTimelines } from '../support/full.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { openPlace } from '../support/place.ts';

describe('catching up', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;
  let garden: string;
  /** A channel of a server that this page does not open. */
  let roof: string;
  let far: string;
  let pair: string;

  before(async () => {
    app = await startSite({ PARLEY_LOBBY: 'off', PARLEY_RATE_SCALE: '100' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    ({ serverId, channelId: general } = await openPlace(ann, ben));
    garden = await channelIn(serverId, 'garden');
    far = (await openPlace(ann, ben)).serverId;
    await ann.send('server:update', { serverId: far, name: 'Far away' });
    roof = await channelIn(far, 'roof');
    pair = (await ann.send('conversation:create', { userIds: [ben.id] })).conversation.id;
    await ben.send('conversation:accept', { conversationId: pair });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const channelIn = async (serverId: string, name: string) =>
    (await ann.send('channel:create', { serverId, name })).channel.id;
  const says = (timelineId: string, body: string) => ann.send('message:send', { timelineId, body });
  const look = async (looks: object = {}) =>
    (await openBrowser(app, { as: ben, path: `/s/${serverId}/${general}`, ...looks })).page;
  const entries = (page: Page) =>
    page.getByRole('list', { name: /^(Unread|Mentions)$/ }).locator('[data-stop]');
  const entry = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
  const names = (page: Page) =>
    entries(page).evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')));
  const hasFocus = (page: Page, name: string | RegExp) =>
    eventually(async () => {
      const here = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
      expect(here).to.match(new RegExp(name));
    });
  const heading = (page: Page, name: string) =>
    page.getByRole('heading', { level: 1, name }).waitFor();
  const unreadOnServer = async () => {
    const again = await ben.newTab();
    again.close();
    const badges = Object.entries(again.ready.timelines);
    return badges
      .filter(([, { last, read, mark }]) => last > Math.min(read, (mark?.position ?? Infinity) - 1))
      .map(([id]) => id);
  };
  const picture = async (page: Page, name: string) => {
    const { PICTURES } = process.env;
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/catching-up-${name}.png` });
  };

  it('goes through everything unread by keys alone: opens it at its first unread message, or marks it as done and moves on', async () => {
    for (const body of ['The peas are up', 'The beans too']) await says(garden, body);
    await says(roof, `Come up, ${mentionOf(ben.id)}`);
    await says(pair, 'Just between us');
    const page = await look();
    await composer(page).waitFor();
    await page.keyboard.press('Control+Shift+k');
    await heading(page, 'Unread');
    // Mentions come first, even before newer messages.
    const all = [
      'roof, Far away, 1 unread, 1 mention',
      'Ann, Direct message, 1 unread',
      'garden, Place, 2 unread',
    ];
    await eventually(async () => expect(await names(page)).to.deep.equal(all));
    for (const body of ['The peas are up', 'Come up, @Ben', 'Just between us'])
      await page.getByText(body).waitFor();
    await hasFocus(page, /^roof/);
    await expectAccessible(page);
    await page.keyboard.press('j');
    await hasFocus(page, /^Ann/);
    await page.keyboard.press('ArrowDown');
    await hasFocus(page, /^garden/);
    await page.keyboard.press('k');
    await hasFocus(page, /^Ann/);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await heading(page, 'garden');
    const divider = page.locator('li', {
      has: page.getByRole('separator', { name: 'New messages' }),
    });
    expect(await divider.getByRole('article').innerText()).to.include('The peas are up');
    await page.goBack();
    await eventually(async () => expect(await names(page)).to.deep.equal(all.slice(0, 2)));
    await hasFocus(page, /^roof/);
    await page.keyboard.press('e');
    await hasFocus(page, /^Ann/);
    await page.getByRole('status').getByText('roof marked read').waitFor();
    await eventually(async () => expect(await unreadOnServer()).to.deep.equal([pair]));
    await page.keyboard.press('e');
    await page.getByText('You’re all caught up').waitFor();
    await eventually(async () => expect(await unreadOnServer()).to.deep.equal([]));
    await expectAccessible(page);
    await page.keyboard.press('z');
    await hasFocus(page, /^Ann, Direct message, 1 unread/);
    await eventually(async () => expect(await unreadOnServer()).to.deep.equal([pair]));
  });

  it('stays up to date while others write, without moving the entries or the focus', async () => {
    await says(garden, 'The peas are up');
    const page = await look({ path: '/unread' });
    await entry(page, 'garden, Place, 1 unread').waitFor();
    await hasFocus(page, /^garden/);
    await says(roof, `Come up, ${mentionOf(ben.id)}`);
    await says(garden, 'The beans too');
    await entry(page, 'garden, Place, 2 unread').waitFor();
    await page.getByText('The beans too').waitFor();
    await page.getByText('Come up, @Ben').waitFor();
    expect(await names(page)).to.deep.equal([
      'garden, Place, 2 unread',
      'roof, Far away, 1 unread, 1 mention',
    ]);
    await hasFocus(page, /^garden, Place, 2 unread/);
    await ben.send('read:update', { timelineId: garden, position: 2 });
    await entry(page, 'garden, Place, 2 unread').waitFor({ state: 'detached' });
    await eventually(async () =>
      expect(await page.evaluate(() => document.activeElement?.tagName)).to.not.equal('BODY'),
    );
  });

  it('includes only mentions from muted channels', async () => {
    await says(garden, 'The peas are up');
    await says(roof, 'Nothing for anyone');
    await says(roof, `Come up, ${mentionOf(ben.id)}`);
    for (const targetId of [garden, roof])
      await ben.send('notification:set', { targetId, muted: {} });
    const page = await look({ path: '/unread' });
    await page.getByText('Come up, @Ben').waitFor();
    await entry(page, 'roof, Far away, 1 unread, 1 mention').waitFor();
    expect(await entries(page).count()).to.equal(1);
    expect(await page.getByText('Nothing for anyone').count()).to.equal(0);
  });

  it('says so if all unread messages are from blocked people', async () => {
    await says(garden, 'The peas are up');
    await ben.send('block:create', { userId: ann.id });
    const page = await look({ path: '/unread' });
    await page.getByText('No messages to show.').waitFor();
    await page.keyboard.press('e');
    await page.getByText('You’re all caught up').waitFor();
  });

  it('requests messages only for entries in view', async () => {
    const ids: string[] = [];
    for (let i = 0; i < 30; i += 1) ids.push(await channelIn(serverId, `channel-${i}`));
    await fillTimelines(app, ids, { authorId: ann.id, body: 'Line {position}', many: 8 });
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const asked: string[] = [];
    page.on('websocket', (socket) =>
      socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('"message:list"')) asked.push(String(payload));
      }),
    );
    await page.goto(`${app.url}/unread`);
    await page.getByText('Line 1').first().waitFor();
    await eventually(async () => expect(await entries(page).count()).to.equal(30));
    expect(await page.getByText('Line 4').count()).to.equal(0);
    expect(asked.length).to.be.within(1, 10);
    await page.keyboard.press('End');
    await eventually(() => expect(asked.length).to.be.within(11, 20));
    for (const one of asked) expect(one).to.include('"limit":6');
  });

  it('works with the mouse as well, from the rail, and can be undone', async () => {
    await says(garden, 'The peas are up');
    await says(pair, 'Just between us');
    const page = await look();
    await page.getByRole('link', { name: 'Unread', exact: true }).click();
    await page.getByRole('button', { name: 'Done: garden' }).click();
    await entry(page, 'garden, Place, 1 unread').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await entry(page, 'garden, Place, 1 unread').waitFor();
    await page.getByText('The peas are up').click({ force: true });
    await heading(page, 'garden');
    await message(page, 'The peas are up').waitFor();
  });

  for (const theme of firstAtLength(['dark', 'light']))
    it(`works by touch on a phone, from a tab of its own, ${theme}`, async () => {
      await says(garden, 'The peas are up');
      await says(garden, `Look, ${mentionOf(ben.id)}`);
      await says(
        roof,
        'Nothing much, but at some length, so that one line is not enough for all of it',
      );
      const page = await look({
        path: `/s/${serverId}`,
        width: 390,
        height: 844,
        touch: true,
        theme,
      });
      await composer(page).waitFor();
      await page.goto(`${app.url}/direct`);
      const tabs = page.getByRole('navigation', { name: 'Parley' });
      await tabs.getByRole('link', { name: 'Unread' }).tap();
      await heading(page, 'Unread');
      await page.getByText('Nothing much').waitFor();
      expect(
        await tabs.getByRole('link', { name: 'Unread' }).getAttribute('aria-current'),
      ).to.equal('page');
      await picture(page, `phone-${theme}`);
      await expectAccessible(page);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(390);
      const done = page.getByRole('button', { name: 'Done: garden' });
      expect((await done.boundingBox())!.height).to.be.at.least(44);
      await done.tap();
      await entry(page, 'garden, Place, 2 unread, 1 mention').waitFor({ state: 'detached' });
      await picture(page, `phone-done-${theme}`);
      await page.getByRole('button', { name: 'Done: roof' }).tap();
      await page.getByText('You’re all caught up').waitFor();
      await picture(page, `phone-empty-${theme}`);
      await expectAccessible(page);
      await tabs.getByRole('link', { name: 'Channels' }).tap();
      await page.getByRole('navigation', { name: 'Channels' }).waitFor();
    });

  for (const theme of firstAtLength(['light', 'dark']))
    it(`lists all mentions, read or not, and unread messages to everyone, ${theme}`, async () => {
      await says(garden, `Long ago, ${mentionOf(ben.id)}`);
      await ben.send('read:update', { timelineId: garden, position: 1 });
      await says(roof, `Come up, ${mentionOf(ben.id)}`);
      await says(pair, 'Just between us');
      await says(garden, '@everyone, tea');
      const page = await look({ theme });
      await composer(page).waitFor();
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Jump to/ }).fill('unread m');
      await page.getByRole('option', { name: 'Unread messages' }).waitFor();
      await page.keyboard.press('Enter');
      await page.getByText('Just between us').waitFor();
      await page.getByText('Come up, @Ben').waitFor();
      await picture(page, `unread-${theme}`);
      await page.getByRole('tab', { name: 'Unread' }).focus();
      await page.keyboard.press('ArrowRight');
      const all = ['garden, Place, 1 mention', 'roof, Far away, 1 mention', 'garden, Place'];
      await eventually(async () => expect(await names(page)).to.deep.equal(all));
      await picture(page, `mentions-${theme}`);
      await expectAccessible(page);
      await page.keyboard.press('ArrowDown');
      await hasFocus(page, /^garden, Place, 1 mention/);
      await page.keyboard.press('j');
      await hasFocus(page, /^roof/);
      await page.keyboard.press('e');
      await hasFocus(page, /^garden, Place$/);
      // It has been read, so there is nothing to mark as done.
      expect(await page.getByRole('button', { name: /^Done/ }).count()).to.equal(1);
      await eventually(async () => expect(await unreadOnServer()).to.have.members([pair, garden]));
      await page.keyboard.press('Enter');
      await page.waitForURL(new RegExp(`/${garden}/1$`));
      await message(page, /Long ago/).waitFor();
      await page.goBack();
      await heading(page, 'Mentions');
      await says(roof, `Again, ${mentionOf(ben.id)}`);
      await page.getByText('Again, @Ben').waitFor();
    });

  it('ignores letters if single-key shortcuts are off', async () => {
    await says(garden, 'The peas are up');
    const page = await look({ path: '/unread' });
    await hasFocus(page, /^garden/);
    await page.evaluate(() => {
      localStorage.setItem('parley.single-keys', 'false');
    });
    await page.reload();
    await hasFocus(page, /^garden/);
    await page.keyboard.press('e');
    await page.keyboard.press('ArrowDown');
    await entry(page, 'garden, Place, 1 unread').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('You’re all caught up').waitFor();
  });
});
