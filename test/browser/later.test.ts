import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  focused,
  openBrowser,
  serverAway,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';

describe('lazily loaded parts', () => {
  let app: TestApp;
  let ann: Person;

  before(async () => {
    app = await startSite();
    ann = await app.person('Ann');
  });
  afterEach(closeWindows);
  after(() => app.close());

  const blank = () => openBrowser(app, { as: ann, path: undefined, ahead: true });
  const start = async (page: Page) => {
    await page.goto(app.url);
    await composer(page).waitFor();
  };
  const openAccount = async (page: Page, item: string) => {
    await page.getByRole('region', { name: 'You' }).getByRole('button').first().click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  const settings = (page: Page) => page.getByRole('dialog', { name: 'Settings' });

  it('are loaded before they are needed, so that they open even without a connection', async () => {
    const { page, forgive } = await blank();
    forgive(serverAway);
    const parts = new Set<string>();
    page.on('requestfinished', (request) => {
      const [part] = /(?:[A-Z]\w+|settings)(?=-[\w-]{7}\.js$)/.exec(request.url()) ?? [];
      if (part) parts.add(part);
    });
    await start(page);
    expect([...parts]).to.deep.equal([]);
    await eventually(() => expect(parts).to.include.keys('Switcher', 'settings', 'ProfileCard'));
    await page.waitForLoadState('networkidle');
    await page.context().setOffline(true);
    await openAccount(page, 'Settings');
    await settings(page).getByLabel('Display name').waitFor();
  });

  it('UX-16 report a failed load, and offer a reload', async () => {
    const { page, forgive } = await blank();
    forgive(/Failed to load|net::ERR_FAILED/);
    await page.route(/\/assets\/settings-.*\.js$/, (route) => route.abort());
    await start(page);
    await composer(page).fill('Half a thought');
    await openAccount(page, 'Settings');
    const failed = page.getByRole('dialog', { name: 'Part of Parley didn’t load' });
    await failed.waitFor();
    await expectAccessible(page);
    await failed.getByRole('button', { name: 'Not now' }).click();
    await failed.waitFor({ state: 'detached' });
    expect(await focused(page)).to.equal('BUTTON');
    await openAccount(page, 'Settings');
    await failed.waitFor();
    await page.unroute(/\/assets\/settings-.*\.js$/);
    await failed.getByRole('button', { name: 'Reload' }).click();
    await eventually(async () =>
      expect(await composer(page).inputValue()).to.equal('Half a thought'),
    );
    await openAccount(page, 'Settings');
    await settings(page).getByLabel('Display name').waitFor();
  });

  it('stay open with typed text when the window gets narrow or wide', async () => {
    const { page } = await blank();
    await start(page);
    await openAccount(page, 'Settings');
    await settings(page).getByLabel('Display name').fill('Annabel');
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 800 });
      await page
        .getByRole('complementary', { name: 'Members' })
        .waitFor({ state: width > 1_000 ? 'attached' : 'detached' });
      expect(await settings(page).getByLabel('Display name').inputValue()).to.equal('Annabel');
    }
    await page.setViewportSize({ width: 390, height: 800 });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).last().click();
    await settings(page).waitFor({ state: 'detached' });
    expect(await focused(page)).to.not.equal('BODY');
  });

  it('open over one another, and each closes by itself', async () => {
    const { page } = await blank();
    await start(page);
    await openAccount(page, 'Settings');
    await settings(page).getByLabel('Display name').waitFor();
    await page.keyboard.press('Control+k');
    const switcher = page.getByRole('dialog', { name: 'Jump to' });
    await switcher.getByRole('option').first().waitFor();
    await page.keyboard.press('Escape');
    await switcher.waitFor({ state: 'detached' });
    expect(await settings(page).isVisible()).to.equal(true);
  });

  it('do not stay open for the next person who signs in', async () => {
    const { page } = await blank();
    const kim = await app.person('Kim');
    await page.context().clearCookies();
    const [name = '', value = ''] = kim.cookie.split('=');
    await page.context().addCookies([{ name, value, url: app.url }]);
    await start(page);
    await openAccount(page, 'Settings');
    await settings(page).waitFor();
    await kim.send('session:logout', {});
    await page.getByLabel('Username').fill(kim.user.username ?? '');
    await page.getByLabel('Password').fill(`the password of ${kim.user.username}`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await composer(page).waitFor();
    expect(await settings(page).count()).to.equal(0);
  });
});
