import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';

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

  it('keeps nothing that a test did to it', async () => {
    const { page } = await openBrowser(app, { width: 390, theme: 'dark', as: await app.person() });
    // Goes offline below, so everything must have loaded.
    await composer(page).waitFor();
    await page.waitForLoadState('networkidle');
    await page.setViewportSize({ width: 500, height: 500 });
    await page.emulateMedia({
      colorScheme: 'dark',
      reducedMotion: 'reduce',
      forcedColors: 'active',
    });
    let heard = 0;
    page.on('console', () => (heard += 1));
    await page.route('**/livez', (route) => route.fulfill({ body: 'left' }));
    await page.context().setOffline(true);
    await closeWindows();
    const next = await open();
    expect(next, 'the same window').to.equal(page);
    const now = await next.evaluate(async () => {
      const answer = await fetch('/livez');
      console.info('here');
      return {
        size: [innerWidth, innerHeight],
        emulated: [
          '(prefers-color-scheme: dark)',
          '(prefers-reduced-motion: reduce)',
          '(forced-colors: active)',
        ].filter((query) => matchMedia(query).matches),
        answer: await answer.text(),
      };
    });
    expect(now.size).to.deep.equal([1_280, 800]);
    expect(now.emulated).to.deep.equal([]);
    expect(now.answer).to.not.equal('left');
    expect(heard).to.equal(0);
  });

  it('is not used again after a lasting change to it', async () => {
    const page = await open();
    await page.addInitScript(() => undefined);
    await closeWindows();
    expect(await open()).to.not.equal(page);
  });
});
