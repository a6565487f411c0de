import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  eventually,
  inState,
  message,
  openBrowser,
  tabTo,
} from '../support/browser.ts';

describe('by keyboard alone', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(closeWindows);
  after(() => app.close());

  const expectFocus = (page: Page, what: RegExp) =>
    eventually(async () =>
      expect(await page.locator(':focus').evaluate((node) => node.outerHTML)).to.match(what),
    );

  it('A11Y-05 a person signs in, sends, edits and deletes, and keeps the focus', async () => {
    const ann = await app.person('Ann');
    const { page } = await openBrowser(app);
    await page.getByLabel('Username').waitFor();
    await tabTo(page, 'Username');
    await page.keyboard.type(ann.user.username ?? '');
    await tabTo(page, 'Password');
    await page.keyboard.type(`the password of ${ann.user.username}`);
    await page.keyboard.press('Enter');
    await page.locator('#composer:focus').waitFor();

    await page.keyboard.type('Spoken by keys');
    await page.keyboard.press('Enter');
    await inState(message(page, 'Spoken by keys'), 'sent').waitFor();
    await expectFocus(page, /id="composer"/);

    await tabTo(page, 'Ann, Spoken by keys', 'Shift+Tab');
    await page.keyboard.press('e');
    await expectFocus(page, /aria-label="Edit message"/);
    await page.keyboard.type(', and edited');
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: /Spoken by keys, and edited.*, edited$/ }).waitFor();
    await expectFocus(page, /id="composer"/);

    await tabTo(page, 'Ann, Spoken by keys, and edited', 'Shift+Tab');
    await page.keyboard.press('Delete');
    await expectFocus(page, /Cancel/);
    await tabTo(page, 'Delete message');
    await page.keyboard.press('Enter');
    await message(page, 'Spoken by keys').waitFor({ state: 'detached' });
    await expectFocus(page, /id="composer"/);

    await tabTo(page, 'Ann Online', 'Shift+Tab');
    await page.keyboard.press('Enter');
    await expectFocus(page, /role="menuitem/);
    await page.keyboard.press('Escape');
    await expectFocus(page, /aria-haspopup="menu"/);
  });

  it('A11Y-02 a link skips to the message field', async () => {
    const { page } = await openBrowser(app, { as: await app.guest('Kim') });
    await page.locator('#composer:focus').waitFor();
    await page.evaluate(() => {
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    });
    await tabTo(page, 'Skip to the message field');
    await page.keyboard.press('Enter');
    await expectFocus(page, /id="composer"/);
  });
});
