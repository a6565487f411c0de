import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  choose,
  closeWindows,
  expectAccessible,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('pins in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let serverId: string;
  let timelineId: string;
  let messageId: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    [serverId, timelineId] = [server.id, server.defaultChannelId];
    messageId = (await ben.send('message:send', { timelineId, body: 'Tea at four' })).message.id;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person, more = {}) =>
    (await openBrowser(app, { as, path: `/s/${serverId}/${timelineId}`, ...more })).page;
  const row = (page: Page) => message(page, 'Tea at four');
  const button = (page: Page) => page.getByRole('button', { name: 'Pinned messages', exact: true });
  const panel = (page: Page) => page.getByRole('complementary', { name: 'Pinned messages' });
  const line = (page: Page) => page.getByRole('article', { name: 'Ann pinned a message' });

  it('are added and removed by the pointer, and others see it live', async () => {
    const [hers, his] = [await see(ann), await see(ben)];
    await button(his).click();
    await panel(his).getByText('No pinned messages yet.').waitFor();
    await choose(row(hers), 'Pin');
    await line(his).waitFor();
    await panel(his).getByText('Tea at four').waitFor();
    await row(his).hover();
    await row(his).getByRole('button', { name: 'More' }).click();
    await his.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    expect(await his.getByRole('menuitem', { name: 'Pin', exact: true }).count()).to.equal(0);
    await his.keyboard.press('Escape');
    await expectAccessible(his);
    await button(hers).click();
    await panel(hers).getByRole('button', { name: 'Unpin message by Ben' }).click();
    await panel(his).getByText('No pinned messages yet.').waitFor();
    await line(his).waitFor();
  });

  it('lead to their messages, the latest first', async () => {
    const ids = [messageId];
    for (let i = 0; i < 70; i += 1) {
      const sent = await ben.send('message:send', { timelineId, body: `Line ${i}\n\n\nand more` });
      if (i === 60) ids.push(sent.message.id);
    }
    for (const id of ids) await ann.send('message:pin', { messageId: id, on: true });
    const page = await see(ben);
    await button(page).click();
    const links = panel(page).getByRole('link');
    await links.nth(1).waitFor();
    expect(await links.allTextContents()).to.have.length(2);
    expect(await links.nth(0).textContent()).to.contain('Line 60');
    await links.nth(1).click();
    await page.waitForFunction(() => document.activeElement?.matches('[data-position="1"]'));
  });

  it('are added by a key, and survive a reload', async () => {
    const page = await see(ann);
    await row(page).focus();
    await page.keyboard.press('p');
    await line(page).waitFor();
    await page.reload();
    await button(page).click();
    await panel(page).getByText('Tea at four').waitFor();
    await line(page).focus();
    await page.keyboard.press('r');
    expect(await page.getByRole('group', { name: /Replying/ }).count()).to.equal(0);
  });

  it('are shown and added on a phone', async () => {
    await ann.send('message:pin', { messageId, on: true });
    const page = await see(ann, { width: 390, height: 844, touch: true });
    await line(page).waitFor();
    await expectAccessible(page);
    await button(page).tap();
    await panel(page).getByText('Tea at four').waitFor();
    await expectAccessible(page);
    await panel(page).getByRole('link').tap();
    await panel(page).waitFor({ state: 'detached' });
    await row(page).waitFor();
  });
});
