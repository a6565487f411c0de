import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  choose,
  closeWindows,
  composer,
  expectAccessible,
  longPress,
  message,
  openBrowser,
  type Looks,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('several messages', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let timelineId: string;
  let path: string;

  before(async () => {
    app = await startSite();
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    for (const body of ['One', 'Two', 'Three', 'Four'])
      await ben.send('message:send', { timelineId, body: `Berth ${body}` });
    await ann.send('message:send', { timelineId, body: 'Berth Five' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  async function see(as: Person, looks: Looks = {}) {
    const { page } = await openBrowser(app, { as, path, ...looks });
    await message(page, 'Berth Five').waitFor();
    return page;
  }
  const bar = (page: Page) => page.getByRole('group', { name: 'Selected messages' });
  const box = (page: Page, text: string) => message(page, text).getByRole('checkbox');
  const selected = (page: Page, text: string) => bar(page).getByText(`${text} selected`).waitFor();
  const isFocused = (page: Page, text: string) =>
    box(page, text).and(page.locator(':focus')).waitFor();
  async function left() {
    const { messages } = await ben.send('message:list', { timelineId });
    return messages.filter(({ deletedAt }) => !deletedAt).map(({ body }) => body.slice(6));
  }
  async function look(page: Page, name: string) {
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/${name}-${theme}.png` });
    }
  }

  it('are selected by clicks, with Shift all between, and deleted after one question', async () => {
    const page = await see(ann);
    await choose(message(page, 'Berth One'), 'Select messages');
    await isFocused(page, 'Berth One');
    await selected(page, '1 message');
    await message(page, 'Berth Four').click({ modifiers: ['Shift'] });
    await selected(page, '4 messages');
    await message(page, 'Berth Two').click();
    await selected(page, '3 messages');
    await look(page, 'select');
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog', { name: 'Delete 3 messages?' }).waitFor();
    await look(page, 'select-ask');
    await page.getByRole('button', { name: 'Delete 3 messages' }).click();
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(await left()).to.deep.equal(['Two', 'Five']);
    expect(await page.getByRole('checkbox').count()).to.equal(0);
  });

  const selectTwoByKey = async () => {
    const page = await see(ann);
    await message(page, 'Berth Two').focus();
    await page.keyboard.press('x');
    await isFocused(page, 'Berth Two');
    await selected(page, '1 message');
    return page;
  };

  it('are deselected by Esc while a checkbox has the focus', async () => {
    const page = await selectTwoByKey();
    await page.keyboard.press('Escape');
    await composer(page).and(page.locator(':focus')).waitFor();
  });

  it('are selected by keys, and deselected by Esc', async () => {
    const page = await selectTwoByKey();
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await selected(page, '3 messages');
    await page.keyboard.press('Home');
    await isFocused(page, 'Berth One');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Delete 3 messages?' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await selected(page, '3 messages');
    await page.keyboard.press('Escape');
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(await left()).to.have.length(5);
  });

  it('are selected by touch, and deselected once another person deletes them', async () => {
    const page = await see(ann, { width: 390, height: 844, touch: true });
    const item = page.getByRole('menuitem', { name: 'Select messages' });
    await longPress(message(page, 'Berth One').locator('.text'), item);
    await item.tap();
    await message(page, 'Berth Two').tap();
    await selected(page, '2 messages');
    await look(page, 'select-phone');
    const { messages } = await ben.send('message:list', { timelineId });
    const [{ id: messageId } = { id: '' }] = messages;
    await ben.send('message:delete', { messageId });
    await selected(page, '1 message');
  });

  it('are deleted however long the server asks to wait', async () => {
    const strict = await startSite({ PARLEY_RATE_SCALE: '1' });
    const cem = await strict.person('Cem');
    const { server } = await cem.send('server:create', { name: 'Pier' });
    const input = { timelineId: server.defaultChannelId, body: 'Berth' };
    await Promise.allSettled(Array.from({ length: 31 }, () => cem.send('message:send', input)));
    const { page } = await openBrowser(strict, {
      as: cem,
      path: `/s/${server.id}/${input.timelineId}`,
    });
    await message(page, 'Berth').last().focus();
    await page.keyboard.press('x');
    await box(page, 'Berth').last().and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await selected(page, '2 messages');
    await bar(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete 2 messages' }).click();
    await composer(page).and(page.locator(':focus')).waitFor();
    expect(await message(page, 'Berth').count()).to.equal(28);
    // Closed first, because the page would complain of the missing server.
    await closeWindows();
    await strict.close();
  });

  it('cannot be selected by people who may delete only their own', async () => {
    const page = await see(ben);
    await message(page, 'Berth One').hover();
    await message(page, 'Berth One').getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Select messages' }).count()).to.equal(0);
    await page.keyboard.press('Escape');
    await message(page, 'Berth One').focus();
    await page.keyboard.press('x');
    // Without the right to delete, the key types a letter.
    await page.waitForFunction(
      () => document.querySelector<HTMLTextAreaElement>('#composer')?.value === 'x',
    );
    expect(await page.getByRole('checkbox').count()).to.equal(0);
  });
});
