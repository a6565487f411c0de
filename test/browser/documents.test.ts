import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { checkWindows, closeWindows, expectAccessible, openBrowser } from '../support/browser.ts';
import { atLength } from '../support/length.ts';
import { phone, wide } from './screens/screen.ts';

describe('the documents', () => {
  let app: TestApp;
  before(async () => void (app = await startSite()));
  afterEach(checkWindows);
  after(closeWindows);
  after(() => app.close());

  const views = ['/docs', '/docs/wire', '/docs/bots'].flatMap((path) =>
    [wide, phone].map((look) => ({ path, look })),
  );
  for (const { path, look } of views.filter((_, i) => i % atLength(3, 1) === 0))
    it(`A11Y-01, A11Y-10 ${path} at ${look.width} px`, async () => {
      const { page } = await openBrowser(app, { ...look, path });
      await page.getByText('On this page').click();
      await expectAccessible(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      await expectAccessible(page, 'colours');
      for (const width of [look.width, 320]) {
        await page.setViewportSize({ ...look, width });
        const needed = await page.evaluate(() => document.documentElement.scrollWidth);
        expect(needed, `at ${width} px`).to.equal(width);
      }
      await closeWindows();
    });

  it('link a command to its shapes, and use the chosen theme', async () => {
    const { page } = await openBrowser(app, { path: '/docs' });
    await page.evaluate(() => localStorage.setItem('parley.theme', '"dark"'));
    await page.getByText('On this page').click();
    await page.getByRole('link', { name: 'message:send', exact: true }).first().click();
    expect(new URL(page.url()).hash).to.equal('#messagesend');
    await page.getByRole('navigation', { name: 'Documents' }).getByText('The wire').click();
    await page.getByRole('heading', { name: 'Catch up' }).waitFor();
    const scheme = () =>
      page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);
    expect(await scheme()).to.equal('dark');
  });
});
