import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { query } from '../../server/database/database.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
} from '../support/browser.ts';
import type { Person } from '../support/person.ts';
import { upload } from '../support/files.ts';
import { firstAtLength } from '../support/length.ts';
import { animation, picture as large } from '../support/pictures.ts';
import { saveScreenshots } from '../support/picture.ts';
import { until } from '../support/time.ts';

/** A red pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

describe('files in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;

  before(async () => {
    app = await startSite({ PARLEY_FILE_MB: '1' });
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const see = async (as: Person) => (await openBrowser(app, { as, path })).page;
  const tiles = (page: Page) => page.getByRole('list', { name: 'Files to send' });
  const choose = (page: Page, ...files: { name: string; mimeType: string; buffer: Buffer }[]) =>
    page.getByLabel('Files to attach').setInputFiles(files);
  const picture = (name: string) => ({ name, mimeType: 'image/png', buffer: png });

  it('are sent without text, with a description, and seen by the other person as pictures', async () => {
    const [annSees, benSees] = [await see(ann), await see(ben)];
    await choose(annSees, picture('tea.png'), picture('cake.png'));
    await annSees.locator('#composer:focus').waitFor();
    await tiles(annSees).getByText(/bytes/).nth(1).waitFor();
    await annSees.getByRole('button', { name: 'Describe tea.png' }).click();
    await annSees.getByLabel('Description of tea.png').fill('A pot of tea');
    await expectAccessible(annSees);
    await composer(annSees).focus();
    await annSees.keyboard.press('Enter');
    await tiles(annSees).waitFor({ state: 'detached' });
    const shown = benSees.getByRole('img', { name: 'A pot of tea' });
    await shown.waitFor();
    await benSees.waitForFunction(() =>
      [...document.querySelectorAll<HTMLImageElement>('article img')].every(
        ({ complete, naturalWidth }) => complete && naturalWidth === 1,
      ),
    );
    await expectAccessible(benSees);
    await benSees.getByRole('button', { name: 'View A pot of tea' }).click();
    const viewer = benSees.getByRole('dialog', { name: 'A pot of tea' });
    await viewer.getByText('1 of 2').waitFor();
    await expectAccessible(benSees);
    await benSees.keyboard.press('ArrowRight');
    await benSees.getByRole('dialog', { name: 'cake.png' }).getByText('2 of 2').waitFor();
    await benSees.keyboard.press('Escape');
    await benSees.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('have a placeholder of their shape and colour before they load, wide or narrow', async () => {
    const create = { width: 1_200, height: 300, channels: 3, background: '#336699' } as const;
    const buffer = await sharp({ create }).png().toBuffer();
    const hers = await see(ann);
    await choose(hers, { name: 'banner.png', mimeType: 'image/png', buffer });
    await tiles(hers)
      .getByText(/kB|bytes/)
      .waitFor();
    await composer(hers).focus();
    await hers.keyboard.press('Enter');
    await tiles(hers).waitFor({ state: 'detached' });
    await ann.send('message:send', { timelineId, body: 'What do you think?' });
    for (const width of firstAtLength([1_280, 390])) {
      const { page } = await openBrowser(app, { as: ben, path: undefined, width });
      const held: Route[] = [];
      await page.route(/\/files\//, (route) => void held.push(route));
      await page.goto(app.url + path);
      const button = page.getByRole('button', { name: 'View banner.png' });
      await button.waitFor();
      const below = message(page, 'What do you think?');
      const [room, under] = [(await button.boundingBox())!, (await below.boundingBox())!];
      expect(room.width / room.height).to.be.closeTo(4, 0.05);
      expect(room.width).to.be.at.most(360);
      const colour = () => button.evaluate((one) => getComputedStyle(one).backgroundColor);
      expect(await colour()).to.equal('rgb(51, 102, 153)');
      await until(() => held.length > 0);
      await Promise.all(held.map((route) => route.continue()));
      await until(async () => (await colour()) !== 'rgb(51, 102, 153)');
      expect(await button.boundingBox()).to.deep.equal(room);
      expect(await below.boundingBox()).to.deep.equal(under);
      const { PICTURES } = process.env;
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/banner-${width}.png` });
    }
  });

  it('fill the space that is reserved for a portrait', async () => {
    const portrait = await large(300, 1_200).png().toBuffer();
    const { id } = await upload(ann, timelineId, portrait, 'portrait.png');
    await ann.send('message:send', { timelineId, files: [{ id }] });
    const page = await see(ben);
    const box = await page.getByRole('button', { name: 'View portrait.png' }).boundingBox();
    expect([box?.width, box?.height]).to.deep.equal([60, 240]);
  });

  it('load in the size shown, and stand still for people who prefer less motion', async () => {
    const photo = await large(3_000, 1_500).jpeg().toBuffer();
    const hers = await upload(ann, timelineId, photo, 'photo.jpg');
    const dance = await upload(ann, timelineId, await animation('gif', [40, 40, 40]), 'dance.gif');
    const files = [{ id: hers.id, alt: 'The sea' }, { id: dance.id }];
    await ann.send('message:send', { timelineId, files });
    for (const [width, calm] of [
      [1_280, false],
      [390, true],
    ] as const) {
      const { page } = await openBrowser(app, { as: ben, path: undefined, width });
      if (calm) await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.goto(app.url + path);
      const widthOf = (name: string) => async () => {
        const picture = page.getByRole('img', { name }).last();
        return picture.evaluate((one: HTMLImageElement) => one.complete && one.naturalWidth);
      };
      await page.getByRole('img', { name: 'The sea' }).waitFor();
      await until(async () => (await widthOf('The sea')()) === 720);
      const source = await page.getByRole('img', { name: 'dance.gif' }).getAttribute('src');
      expect(source?.endsWith('still')).to.equal(calm);
      const answer = await page.request.get(app.url + source!);
      expect((await sharp(await answer.body()).metadata()).pages).to.equal(calm ? undefined : 3);
      await page.getByRole('button', { name: 'View The sea' }).click();
      await until(async () => (await widthOf('The sea')()) === 1_600);
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Actual size' }).click();
      await until(async () => (await widthOf('The sea')()) === 3_000);
      await page.keyboard.press('Escape');
      const { PICTURES } = process.env;
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/sizes-${width}.png` });
    }
  });

  it('appear as files to people who prefer less motion, if they move and are too old to have a still', async () => {
    const dance = await upload(ann, timelineId, await animation('gif', [30, 30, 30]), 'dance.gif');
    await ann.send('message:send', { timelineId, body: 'Of old', files: [{ id: dance.id }] });
    await query(app.db, 'update files set sizes = null, beside = 0 where id = $1', [dance.id]);
    for (const calm of [false, true]) {
      const { page, forgive } = await openBrowser(app, { as: ben, path: undefined });
      forgive(/404/);
      if (calm) await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.goto(app.url + path);
      const row = message(page, 'Of old');
      if (calm) await row.getByRole('link', { name: /^dance\.gif/ }).waitFor();
      else await row.getByRole('img', { name: 'dance.gif' }).waitFor();
      await until(async () => (await row.getByRole('img').count()) === (calm ? 0 : 1));
    }
  });

  it('are named with their size and downloaded, if not pictures', async () => {
    const [annSees, benSees] = [await see(ann), await see(ben)];
    const buffer = Buffer.from('<script>alert(1)</script>');
    await choose(annSees, { name: 'page.html', mimeType: 'text/html', buffer });
    await tiles(annSees).getByText('25 bytes').waitFor();
    await composer(annSees).fill('Our page');
    await annSees.keyboard.press('Enter');
    await inState(message(annSees, 'Our page'), 'sent').waitFor();
    const downloads = benSees.waitForEvent('download');
    await message(benSees, 'Our page')
      .getByRole('link', { name: 'page.html Web page · 25 bytes' })
      .click();
    expect((await downloads).suggestedFilename()).to.equal('page.html');
  });

  it('are declined with the reason if too large, and removed without a trace', async () => {
    const page = await see(ann);
    await choose(page, { ...picture('large.png'), buffer: Buffer.alloc(1_000_001) });
    await page.getByRole('status').getByText('is larger than 1 MB.').waitFor();
    await choose(page, picture('tea.png'));
    await tiles(page).waitFor();
    const asksBeforeLeaving = () =>
      page.evaluate(() => !dispatchEvent(new Event('beforeunload', { cancelable: true })));
    expect(await asksBeforeLeaving(), 'with a file in a draft').to.equal(true);
    await page.getByRole('button', { name: 'Remove tea.png' }).click();
    await tiles(page).waitFor({ state: 'detached' });
    expect(await asksBeforeLeaving(), 'without').to.equal(false);
  });

  it('are sent only after their author confirms, if they may reveal where they were taken', async () => {
    const page = await see(ann);
    const buffer = await large().tiff().toBuffer();
    await choose(page, { name: 'tea.tiff', mimeType: 'image/tiff', buffer });
    const tile = tiles(page).getByRole('alert');
    await tile.getByText('“tea.tiff” may say where it was taken').waitFor();
    await expectAccessible(page);
    await saveScreenshots(page, 'traces');
    await page.getByRole('button', { name: 'Send as it is: tea.tiff' }).click();
    await tile.waitFor({ state: 'detached' });
    await say(page, 'From the coast');
    await inState(message(page, 'From the coast'), 'sent').waitFor();

    const [sea, dune] = ['sea.tiff', 'dune.tiff'].map((name) => ({
      ...{ name, buffer },
      mimeType: 'image/tiff',
    }));
    await choose(page, sea!, dune!);
    await say(page, 'In a hurry');
    const row = message(page, 'In a hurry');
    const asked = '“sea.tiff”, “dune.tiff” may say where they were taken';
    await row.getByRole('alert').getByText(asked).waitFor();
    await saveScreenshots(page, 'traces-sent');
    await row.getByRole('button', { name: 'Retry' }).click();
    await inState(row, 'sent').waitFor();
    await row.getByRole('link', { name: /dune\.tiff/ }).waitFor();
  });
});
