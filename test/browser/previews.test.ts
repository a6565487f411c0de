import { expect } from 'chai';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { startSite, type TestApp } from '../support/app.ts';
import {
  checkWindows,
  closeWindows,
  composer,
  eventually,
  expectAccessible,
  openBrowser,
} from '../support/browser.ts';
import { openLinkedSite, titled, type LinkedSite } from '../support/linked-site.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';

describe('previews of links in the browser', () => {
  let site: LinkedSite;
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let place: Awaited<ReturnType<typeof openPlace>>;

  before(async () => {
    site = await openLinkedSite();
    app = await startSite({ PARLEY_LOBBY: 'off', ...site.settings });
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    place = await openPlace(ann, ben);
  });
  afterEach(checkWindows);
  afterEach(closeWindows);
  after(async () => {
    await app.close();
    await site.close();
  });

  const path = () => `/s/${place.serverId}/${place.channelId}`;
  const row = (page: Page, words: string) => page.getByRole('article', { name: words });
  const described = '<meta name="description" content="How to make it, and when to drink it.">';

  it('appear below a message, name the host, and disappear when the author removes them', async () => {
    const leaves = await sharp({
      create: { width: 600, height: 400, channels: 3, background: '#5f8a4a' },
    })
      .png()
      .toBuffer();
    site.serve('/leaves.png', (_request, response) => response.end(leaves));
    const named = `${described}<meta property="og:site_name" content="The Tea Society">
      <meta property="og:image" content="/leaves.png">`;
    const link = site.serve('/tea', titled('All about tea', named));
    await ben.send('message:send', { timelineId: place.channelId, body: `Read ${link}` });
    const { page } = await openBrowser(app, { as: ann, path: path() });
    const title = page.getByRole('link', { name: 'All about tea' });
    await title.waitFor();
    expect(await title.getAttribute('href')).to.equal(link);
    await page.getByText(`${new URL(link).host} · The Tea Society`).waitFor();
    await page.getByText('How to make it, and when to drink it.').waitFor();
    const pixels = await page.waitForFunction(
      () => document.querySelector<HTMLImageElement>('.card img')?.naturalWidth,
    );
    expect(await pixels.jsonValue()).to.equal(144);
    expect(await page.getByRole('button', { name: 'Remove preview' }).count()).to.equal(0);
    await composer(page).fill(`Mine: ${link}`);
    await composer(page).press('Enter');
    const mine = row(page, `Mine:`);
    await mine.getByRole('link', { name: 'All about tea' }).waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'previews');
    const remove = mine.getByRole('button', { name: 'Remove preview' });
    await remove.focus();
    await remove.press('Enter');
    await mine.getByRole('link', { name: 'All about tea' }).waitFor({ state: 'detached' });
    await eventually(async () => {
      const { messages } = await ben.send('message:list', { timelineId: place.channelId });
      expect(messages.map(({ previews = [] }) => previews.length)).to.deep.equal([1, 0]);
    });
    expect(await page.evaluate(() => document.activeElement?.tagName)).to.equal('ARTICLE');
  });

  it('can be turned off in the server settings', async () => {
    const { page } = await openBrowser(app, { as: ann, path: path() });
    await composer(page).waitFor();
    await page.getByRole('button', { name: 'Place' }).first().click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await settings.getByLabel('Link previews').selectOption('New links don’t get previews');
    await settings.getByRole('button', { name: 'Save changes' }).click();
    await eventually(async () => {
      const { servers } = await ben.send('server:list', {});
      expect(servers.find(({ id }) => id === place.serverId)?.noPreviews).to.equal(true);
    });
  });
});
