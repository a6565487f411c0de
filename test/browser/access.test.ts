import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { v7 as newId } from 'uuid';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  focused,
  message,
  openBrowser,
  say,
  serverAway,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('losing access', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
  });
  beforeEach(async () => {
    serverId = (await ann.send('server:create', { name: 'Place' })).server.id;
    const { invite } = await ann.send('invite:create', { serverId });
    await ben.send('server:join', { code: invite.code });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

  async function inChannel() {
    const { channel } = await ann.send('channel:create', { serverId, name: 'plans' });
    await ann.send('message:send', { timelineId: channel.id, body: 'A secret plan' });
    const window = await openBrowser(app, { as: ben, path: `/s/${serverId}/${channel.id}` });
    await message(window.page, 'A secret plan').waitFor();
    return { ...window, channelId: channel.id };
  }

  it('UX-64 by removal closes the server and shows a notice', async () => {
    const { page } = await inChannel();
    await ann.send('member:remove', { serverId, userId: ben.id });
    await page.getByRole('status').getByText('You were removed from Place.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    expect(await page.content()).to.not.include('A secret plan');
    expect(await page.getByRole('link', { name: 'Place' }).count()).to.equal(0);
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  });

  it('UX-64 sends no text typed meanwhile to the place shown next', async () => {
    const { page } = await inChannel();
    await composer(page).focus();
    await page.keyboard.type('Half of a sen');
    await ann.send('ban:create', { serverId, userId: ben.id });
    const notice = page.getByRole('status').filter({ hasText: 'You were banned from Place.' });
    await notice.waitFor();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await composer(page).waitFor();
    await page.keyboard.type('tence');
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).to.equal('');
    expect(await page.getByRole('article').count()).to.equal(0);
    await expectAccessible(page);
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await page.keyboard.type('A new one');
    expect(await composer(page).inputValue()).to.equal('A new one');
  });

  it('UX-64 by a ban says when it ends', async () => {
    const { page } = await inChannel();
    await ann.send('ban:create', { serverId, userId: ben.id, seconds: 86_400 });
    const words = /You were banned from Place\. The ban ends on \w+, .*\d\d:\d\d/;
    await page.getByRole('status').getByText(words).waitFor();
  });

  it('UX-64 by deletion of the channel opens another, says so, and offers the unsent text', async () => {
    const { page, channelId } = await inChannel();
    await composer(page).fill('Half a thought');
    await ann.send('channel:delete', { channelId });
    await page.getByRole('status').getByText('#plans was deleted.').waitFor();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    expect(await page.content()).to.not.include('A secret plan');
    await page.getByRole('button', { name: /Copy/ }).click();
    expect(await copied(page)).to.equal('Half a thought');
    await eventually(async () => expect(await focused(page)).to.not.equal('BODY'));
  });

  it('UX-64 offers the unsent text until it is copied or dismissed', async () => {
    const { page, channelId } = await inChannel();
    await composer(page).fill('Half a thought');
    await page.getByRole('link', { name: 'general' }).click();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    await composer(page).fill('Another one');
    await ann.send('channel:delete', { channelId });
    const notice = page.getByRole('status').filter({ hasText: 'You had an unsent draft there.' });
    await notice.getByText('#plans was deleted.').waitFor();
    await page.reload();
    await notice.getByText('#plans was deleted.').waitFor();
    // The notice is shown before the page is connected again.
    await eventually(async () => expect(await composer(page).inputValue()).to.equal('Another one'));
    await ann.send('ban:create', { serverId, userId: ben.id });
    await notice.getByRole('button', { name: 'Copy draft' }).click();
    await page.getByRole('status').getByText('Draft copied').waitFor();
    expect(await copied(page)).to.equal('Half a thought');
    await notice.getByText('You were banned from Place.').waitFor();
    await notice.getByRole('button', { name: 'Dismiss' }).click();
    await notice.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'general' }).waitFor();
    expect(await notice.count()).to.equal(0);
  });

  it('UX-64 removes the notice and restores the draft when the person is back', async () => {
    const { page, channelId } = await inChannel();
    const banned = page.getByRole('status').getByText('You were banned from Place.');
    const removed = page.getByRole('status').getByText('You were removed from Place.').or(banned);
    const comeBack = async () => {
      const { code } = (await ann.send('invite:create', { serverId })).invite;
      await ben.send('server:join', { code });
      await removed.waitFor({ state: 'detached' });
    };
    await ann.send('ban:create', { serverId, userId: ben.id });
    await removed.waitFor();
    await ann.send('ban:delete', { serverId, userId: ben.id });
    await comeBack();
    await page.goto(`${app.url}/s/${serverId}/${channelId}`);
    await composer(page).fill('Half a thought');
    await ann.send('member:remove', { serverId, userId: ben.id });
    await removed.waitFor();
    await page.reload();
    await removed.waitFor();
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await page.goto(`${app.url}/join/${code}`);
    await page.getByRole('button', { name: 'Join Place' }).click();
    await page.getByRole('link', { name: 'plans' }).click();
    await removed.waitFor({ state: 'detached' });
    expect(await composer(page).inputValue()).to.equal('Half a thought');
  });

  it('UX-64 by deletion of the server offers its unsent messages and draft', async () => {
    const { page, forgive } = await inChannel();
    forgive(serverAway);
    await page.context().setOffline(true);
    await page.getByText('Reconnecting…').waitFor();
    for (const text of ['One, offline', 'Two, offline']) await say(page, text);
    await composer(page).fill('Half a thought');
    await ann.send('server:delete', { serverId });
    await page.context().setOffline(false);
    await page.getByRole('status').getByText('You no longer have access to Place.').waitFor();
    await page.getByRole('button', { name: 'Copy draft' }).click();
    expect(await copied(page)).to.equal('One, offline\n\nTwo, offline\n\nHalf a thought');
    expect(await page.content()).to.not.include('A secret plan');
  });

  it('UX-64 while the page is closed offers the unsent message', async () => {
    const { page, channelId, forgive } = await inChannel();
    forgive(/404/);
    await page.goto('about:blank');
    await ann.send('channel:delete', { channelId });
    const message = { timelineId: channelId, body: 'Too late', writtenAt: Date.now() };
    await page.goto(`${app.url}/icon.svg`);
    await page.evaluate(([key, value]) => localStorage.setItem(key, value), [
      `parley.unsent.${ben.id}.${newId()}`,
      JSON.stringify(message),
    ] as const);
    await page.goto(app.url);
    await page.getByRole('status').getByText('couldn’t be sent').waitFor();
    await page.getByRole('button', { name: 'Copy draft' }).click();
    expect(await copied(page)).to.equal('Too late');
  });

  it('UX-64 on a phone shows the notice too', async () => {
    const { channel } = await ann.send('channel:create', { serverId, name: 'plans' });
    const { page } = await openBrowser(app, {
      ...{ as: ben, width: 390, height: 844, touch: true },
      path: `/s/${serverId}/${channel.id}`,
    });
    await composer(page).fill('Half a thought');
    await ann.send('channel:delete', { channelId: channel.id });
    await page.getByRole('status').getByText('#plans was deleted.').waitFor();
    await expectAccessible(page);
  });

  it('UX-14 by a sign-out shows the sign-in page, with the reason', async () => {
    const { page } = await inChannel();
    await ben.send('session:logout', {});
    await page.getByRole('tab', { name: 'Sign in' }).waitFor();
    expect(await page.content()).to.not.include('A secret plan');
    await page.getByRole('status').getByText('You were signed out.').waitFor();
    ben = await app.person('Ben');
  });
});
