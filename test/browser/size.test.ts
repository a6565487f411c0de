import { expect } from 'chai';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';
import { beenBefore, weigh, weighAll } from '../support/bundle-size.ts';

/** In bytes, after Brotli. */
const maxBytes = { signIn: 40_000, channel: 100_000, all: 281_000, styles: 12_000 };

describe('the size of the client', () => {
  let app: TestApp;

  before(async () => {
    app = await startSite();
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('lets a stranger sign in after at most 40 kB of script', async () => {
    const { page } = await openBrowser(app, { path: undefined });
    const { scripts } = await weigh(page, app.url, () => page.getByLabel('Username').waitFor());
    expect(scripts).to.be.within(10_000, maxBytes.signIn);
  });

  it('loads at most 100 kB of script and 12 kB of styles to show a channel', async () => {
    const ben = await app.guest('Ben');
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    await beenBefore(page);
    const { scripts, styles } = await weigh(page, app.url, () => composer(page).waitFor());
    expect(scripts).to.be.within(30_000, maxBytes.channel);
    expect(styles).to.be.within(2_000, maxBytes.styles);
  });

  it('is at most 281 kB including everything that loads on demand', () => {
    expect(weighAll().scripts).to.be.within(30_000, maxBytes.all);
  });
});
