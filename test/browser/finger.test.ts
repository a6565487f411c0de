import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  expectAccessible,
  longPress,
  message,
  openBrowser,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('a finger on a message', () => {
  let app: TestApp;
  let ann: Person;
  let page: Page;
  let path: string;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann Archer');
    const { server } = await ann.send('server:create', { name: 'Harbour' });
    const timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    for (const body of ['The crane was **late**, and so\nwere the berths. '.repeat(4), 'Short'])
      await ann.send('message:send', { timelineId, body });
    ({ page } = await openBrowser(app, { as: ann, path, width: 390, height: 844, touch: true }));
    await message(page, 'Short').waitFor();
  });
  afterEach(checkWindows);
  after(async () => {
    await closeWindows();
    await app.close();
  });

  const sheet = () => page.getByRole('dialog', { name: 'Message', exact: true });
  const item = (name: string) => sheet().getByRole('menuitem', { name, exact: true });
  const press = (text: string) => longPress(message(page, text).locator('.text'), sheet());
  const stay = async (target: Locator) => {
    const { x, y } = (await target.boundingBox())!;
    const finger = await page.context().newCDPSession(page);
    const touchPoints = [{ x: x + 20, y: y + 10 }];
    await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
    await page.waitForTimeout(800); // Longer than the half second that opens a sheet.
    await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    await finger.detach();
  };
  const closed = () => sheet().waitFor({ state: 'detached' });

  it('leaves it unchanged on a tap', async () => {
    await message(page, 'Short').locator('.text').tap();
    // Chromium reports a tapped element as hovered.
    await page.locator('article:hover').waitFor();
    expect(await page.locator('.hovers').count()).to.equal(0);
    const hovering = await page.evaluate(() =>
      [...document.styleSheets]
        .flatMap(({ cssRules }) => [...cssRules].map(({ cssText }) => cssText))
        .filter((text) => text.replaceAll(':hover:where(.hovers ', '').includes(':hover')),
    );
    expect(hovering).to.deep.equal([]);
    expect(await message(page, 'Short').getByRole('button', { name: 'More' }).count()).to.equal(0);
    expect(await page.getByRole('dialog').count()).to.equal(0);
  });

  it('opens a sheet with author and excerpt if held; a touch beside the sheet or Back closes it', async () => {
    await press('The crane was');
    const head = await sheet().locator('.head').innerText();
    expect(head).to.match(/^Ann Archer · The crane was late, and so were the berths\./);
    expect(await sheet().getByRole('menuitem').allInnerTexts()).to.deep.equal([
      ...['👍', '❤️', '😂', 'Add reaction', 'Reply', 'Pin'],
      'Copy text',
      'Copy link',
      'Mark unread',
      'Edit',
      'Select messages',
      'Delete',
    ]);
    for (const theme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: theme });
      await expectAccessible(page);
      if (process.env.PICTURES)
        await page.screenshot({ path: `${process.env.PICTURES}/finger-${theme}.png` });
    }
    await page.touchscreen.tap(195, 100);
    await closed();
    await press('Short');
    await page.goBack();
    await closed();
    expect(new URL(page.url()).pathname).to.equal(path);
  });

  it('copies, edits and deletes there', async () => {
    await press('Short');
    await item('Copy text').tap();
    await page.getByRole('status').getByText('Text copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal('Short');
    await press('Short');
    await item('Edit').tap();
    const editor = page.getByLabel('Edit message');
    await editor.fill('Shorter');
    // The editor keeps the browser's own menu.
    await stay(editor);
    expect(await page.getByRole('dialog').count()).to.equal(0);
    expect(await editor.evaluate((field) => field === document.activeElement)).to.equal(true);
    await page.getByRole('button', { name: 'Save' }).tap();
    await press('Shorter');
    await item('Delete').tap();
    await page.getByRole('dialog').getByText('Shorter').waitFor();
    await page.getByRole('button', { name: 'Delete message' }).tap();
    await message(page, 'Shorter').waitFor({ state: 'detached' });
  });
});
