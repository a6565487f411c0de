/** How much a browser must load, as it travels: what the pages really ask for, compressed as servers do. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startApp, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';

const built = new URL('../../dist/client/', import.meta.url);
/** In bytes, after Brotli at its best. */
const most = { signIn: 40_000, channel: 90_000, all: 200_000, styles: 12_000 };

describe('the size of the client', () => {
  let app: TestApp;

  before(async () => {
    app = await startApp();
  });
  afterEach(closeWindows);
  after(() => app.close());

  const compressed = (path: string) =>
    brotliCompressSync(readFileSync(new URL(`.${path}`, built))).length;
  const sum = (paths: string[], ending: string) =>
    paths
      .filter((path) => path.endsWith(ending))
      .reduce((total, path) => total + compressed(path), 0);

  /** Every file of ours that a page asks for until it rests. */
  async function asked(page: Page, path: string, until: () => Promise<void>): Promise<string[]> {
    const files = new Set<string>();
    page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.origin === app.url && /\.(js|css)$/.test(url.pathname)) files.add(url.pathname);
    });
    await page.goto(app.url + path);
    await until();
    await page.waitForLoadState('networkidle');
    return [...files];
  }

  it('lets a stranger sign in after at most 40 kB of script', async () => {
    const { page } = await openBrowser(app, { path: undefined });
    const files = await asked(page, '/', () => page.getByLabel('Username').waitFor());
    expect(sum(files, '.js')).to.be.within(10_000, most.signIn);
  });

  it('shows a channel after at most 90 kB of script and 12 kB of styles', async () => {
    const ben = await app.guest('Ben');
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const files = await asked(page, '/', () => composer(page).waitFor());
    expect(sum(files, '.js')).to.be.within(30_000, most.channel);
    expect(sum(files, '.css')).to.be.within(2_000, most.styles);
  });

  it('is at most 200 kB with all that may ever load', () => {
    const names = readdirSync(new URL('assets/', built));
    const files = names.map((name) => `/assets/${name}`);
    expect(sum(files, '.js')).to.be.within(30_000, most.all);
  });
});
