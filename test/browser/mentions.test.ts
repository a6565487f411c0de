import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { mentionOf } from '../../shared/mentions.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('mentions', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let general: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben Bold')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    [serverId, general] = [server.id, server.defaultChannelId];
    const { invite } = await ann.send('invite:create', { serverId });
    for (const name of ['Benedikt', 'Cem']) {
      const guest = await app.guest(name);
      await guest.send('server:join', { code: invite.code });
    }
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person, channelId = general) =>
    (await openBrowser(app, { as, path: `/s/${serverId}/${channelId}` })).page;
  const listbox = (page: Page) => page.getByRole('listbox', { name: 'People to mention' });
  const chosen = (page: Page, field = composer(page)) =>
    field.evaluate((node) => {
      const id = node.getAttribute('aria-activedescendant');
      return id === null ? undefined : document.getElementById(id)?.querySelector('bdi')?.innerText;
    });

  it('UX-44 are chosen by a few letters, by the keyboard alone', async () => {
    const page = await see(ann);
    await composer(page).pressSequentially('Hello @be');
    await listbox(page).waitFor();
    expect(await listbox(page).getByRole('option').count()).to.equal(2);
    expect(await chosen(page)).to.equal('Ben Bold');
    await expectAccessible(page);
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).to.equal('Benedikt');
    await page.keyboard.press('ArrowDown');
    expect(await chosen(page)).to.equal('Ben Bold');
    await page.keyboard.press('Escape');
    expect(await listbox(page).count()).to.equal(0);
    expect(await composer(page).inputValue()).to.equal('Hello @be');
    await composer(page).pressSequentially(' @BEN');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Tab');
    expect(await composer(page).inputValue()).to.equal('Hello @be @Benedikt ');
    await composer(page).pressSequentially('and @bold');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).to.equal('Hello @be @Benedikt and @Ben Bold ');
    await page.keyboard.press('Enter');
    const row = message(page, 'Hello @be @Benedikt and @Ben Bold');
    await row.getByRole('button', { name: '@Ben Bold' }).waitFor();
    await inState(row, 'sent').waitFor();
    const { messages } = await ann.send('message:list', { timelineId: general });
    expect(messages[0]?.body).to.include(mentionOf(ben.id));
  });

  it('UX-44 are offered only of people in the channel', async () => {
    const wanted = { serverId, name: 'secret', private: true, userIds: [ben.id] };
    const { channel } = await ann.send('channel:create', wanted);
    const page = await see(ann, channel.id);
    await composer(page).pressSequentially('@');
    await listbox(page)
      .getByRole('option', { name: /Ben Bold/ })
      .waitFor();
    expect(
      await listbox(page)
        .getByRole('option', { name: /Benedikt|Cem/ })
        .count(),
    ).to.equal(0);
  });

  it('are written by name, and follow renames', async () => {
    const body = `Ask ${mentionOf(ben.id)}`;
    await ann.send('message:send', { timelineId: general, body });
    const page = await see(ann);
    await message(page, 'Ask @Ben Bold').waitFor();
    await composer(page).press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edit message' });
    expect(await editor.inputValue()).to.equal('Ask @Ben Bold');
    await editor.pressSequentially(', then @ce');
    expect(await chosen(page, editor)).to.equal('Cem');
    await expectAccessible(page);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await message(page, 'Ask @Ben Bold, then @Cem').waitFor();
    await ben.send('member:update', { serverId, userId: ben.id, nickname: 'Benno' });
    await message(page, 'Ask @Benno, then @Cem').waitFor();
    await message(page, '@Benno').getByRole('button', { name: '@Benno' }).click();
    await page.getByRole('dialog', { name: /Benno/ }).waitFor();
  });

  it('UX-67, A11Y-12 are counted on the channel, the server and the tab until they are read', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'garden' });
    const page = await see(ben);
    const say = (body: string) => ann.send('message:send', { timelineId: channel.id, body });
    await say('The peas are up');
    await say(`Look, ${mentionOf(ben.id)}`);
    const entry = page
      .getByRole('navigation', { name: 'Channels' })
      .getByRole('link', { name: 'garden, 1 mention, 2 unread', exact: true });
    await entry.waitFor();
    const rail = page.getByRole('navigation', { name: 'Servers' });
    await rail.getByRole('link', { name: 'Place, unread, 1 mention' }).waitFor();
    expect(await page.title()).to.equal('(1) #general – Place');
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    expect(await icon()).to.equal('/icon-mentions.svg#n1');
    await expectAccessible(page);
    await entry.click();
    const row = message(page, 'Look, @Ben Bold');
    await row.waitFor();
    expect(await row.getAttribute('aria-label')).to.include('mentions you');
    expect(await row.evaluate((node) => getComputedStyle(node).borderInlineStartStyle)).to.equal(
      'solid',
    );
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Place', exact: true }).waitFor();
    expect(await page.title()).to.equal('#garden – Place');
    expect(await icon()).to.equal('/icon.svg');
  });
});
