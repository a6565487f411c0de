import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, openBrowser } from '../support/browser.ts';

describe('a reusable window', () => {
  let app: TestApp;
  before(async () => {
    app = await startSite();
  });
  afterEach(closeWindows);
  after(() => app.close());

  const open = async (): Promise<Page> => {
    const { page } = await openBrowser(app, { as: await app.person() });
    await page.locator('.account').waitFor();
    return page;
  };
  const leftIn = (page: Page) =>
    page.evaluate(() => ({
      local: localStorage.getItem('left'),
      session: sessionStorage.getItem('left'),
      cookie: document.cookie.includes('left'),
      dark: document.documentElement.classList.contains('dark'),
    }));
  const nothing = { local: null, session: null, cookie: false, dark: false };

  it('keeps nothing that its page stored', async () => {
    const page = await open();
    await page.evaluate(() => {
      localStorage.setItem('left', 'here');
      localStorage.setItem('parley.theme', '"dark"');
      sessionStorage.setItem('left', 'here');
      document.cookie = 'left=here';
    });
    await page.reload();
    const left = { local: 'here', session: 'here', cookie: true, dark: true };
    expect(await leftIn(page)).to.deep.equal(left);
    await closeWindows();
    const next = await open();
    expect(next, 'the same window').to.equal(page);
    expect(await leftIn(next)).to.deep.equal(nothing);
  });

  it('is not used again after a lasting change to it', async () => {
    const page = await open();
    await page.setViewportSize({ width: 500, height: 500 });
    await closeWindows();
    expect(await open()).to.not.equal(page);
  });
});
