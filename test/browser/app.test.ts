import { expect } from 'chai';
import sharp from 'sharp';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, composer, openBrowser } from '../support/browser.ts';
import { until } from '../support/time.ts';

interface Manifest {
  name: string;
  start_url: string;
  display: string;
  icons: { src: string; sizes: string; type: string; purpose?: string }[];
}

describe('the app', () => {
  let app: TestApp;

  before(async () => {
    app = await startSite();
  });
  afterEach(closeWindows);
  after(() => app.close());

  it('is installable: its manifest has no errors, and each icon has its declared type and size', async () => {
    const ann = await app.person('Ann');
    const { page } = await openBrowser(app, { as: ann, path: '/', ahead: true });
    await page.locator('link[rel=manifest]').waitFor({ state: 'attached' });
    const devtools = await page.context().newCDPSession(page);
    const { url, errors } = await devtools.send('Page.getAppManifest');
    expect(errors).to.deep.equal([]);
    const answer = await page.request.get(url);
    expect(answer.headers()['content-type']).to.match(/^application\/manifest\+json/);
    const manifest = (await answer.json()) as Manifest;
    expect(manifest).to.deep.include({ name: 'Parley', start_url: '/', display: 'standalone' });
    for (const { src, sizes, type } of manifest.icons) {
      const icon = await page.request.get(app.url + src);
      expect(icon.headers()['content-type'], src).to.equal(type);
      const { width, height } = await sharp(await icon.body()).metadata();
      if (sizes !== 'any') expect(`${width}x${height}`).to.equal(sizes);
    }
    expect(manifest.icons.some(({ purpose }) => purpose?.includes('maskable'))).to.equal(true);
    const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors');
    // Windows of these tests are always incognito.
    const others = installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito');
    expect(others).to.deep.equal([]);
  });

  it('counts unread messages for me on its icon, shows a dot for others, and nothing once they are read', async () => {
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { server } = await ann.send('server:create', { name: 'Place' });
    const serverId = server.id;
    const { channel } = await ann.send('channel:create', { serverId, name: 'garden' });
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    await ben.send('server:join', { code });
    const { page } = await openBrowser(app, { as: ben, path: undefined });
    const badges: (number | undefined)[] = [];
    await page.exposeFunction('badgeIs', (count: number | null) => badges.push(count ?? undefined));
    // Browsers do not reveal the badge of an icon. As text: see page-scripts.ts.
    await page.addInitScript(
      `Object.defineProperty(navigator, 'setAppBadge', { value: async (count) => badgeIs(count ?? null) });`,
    );
    await page.goto(`${app.url}/s/${serverId}/${server.defaultChannelId}`);
    await composer(page).waitFor();
    const isNow = (count: number | undefined) => until(() => badges.at(-1) === count);
    await until(() => badges.length > 0);
    await isNow(0);
    await ann.send('message:send', { timelineId: channel.id, body: 'For all' });
    await isNow(undefined);
    await ann.send('message:send', { timelineId: channel.id, body: `<@${ben.id}>, for you` });
    await isNow(1);
    await page.getByRole('link', { name: /^garden/ }).click();
    await isNow(0);
  });
});
