import type { Page } from 'playwright-core';
import { longPress, message } from '../../support/browser.ts';
import type { Person } from '../../support/person.ts';

export const wide = { width: 1_280, height: 800 };
export const phone = { width: 390, height: 844, touch: true };
export const narrowest = 320;

export interface Screen {
  name: string;
  /** The person signed in. Without it, a stranger. */
  as?: () => Person;
  path: () => string;
  /** Prepares the window before it loads. Only for a person that no other screen uses. */
  prepare?: (page: Page) => Promise<void>;
  show: (page: Page, look: { narrow: boolean }) => Promise<void>;
  /** True when it covers the page, and returns the focus on closing. */
  closes?: boolean;
  only?: 'wide' | 'phone';
}

export const dialog = (page: Page) => page.getByRole('dialog').last();

export const actions = async (page: Page, narrow: boolean) => {
  const mine = message(page, 'Mine, again');
  if (!narrow) {
    await mine.hover();
    return mine;
  }
  const menu = page.getByRole('menu');
  await longPress(mine.locator('.text'), menu);
  return menu;
};
export const openMenu = async (page: Page, narrow: boolean, item: string) => {
  if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
  await page.locator('button.server-menu').click();
  await page.getByRole('menuitem', { name: item }).click();
};
export const openCategory = async (page: Page, narrow: boolean) => {
  if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
  const more = page.getByRole('button', { name: /^More for Software/ });
  await more.locator('xpath=ancestor::*[@data-row]').hover();
  await more.click();
};
export const openChannelSettings = async (page: Page, narrow: boolean) => {
  if (!narrow) return page.getByRole('button', { name: 'Channel settings' }).click();
  await page.getByRole('heading', { level: 1 }).getByRole('button').tap();
  return page.getByRole('menuitem', { name: 'Channel settings' }).tap();
};
/** Opens a page of the settings, which are a list first on a phone. */
export const turnTo = (page: Page, name: string) =>
  dialog(page)
    .getByRole('navigation', { name: 'Settings' })
    .getByText(name, { exact: true })
    .click();
export const askAbout = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `More about ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
export const openAccount = async (page: Page, narrow: boolean, item: string) => {
  if (narrow) await page.getByRole('link', { name: /^Back to/ }).click();
  await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
  await page.getByRole('menuitem', { name: item }).click();
};
