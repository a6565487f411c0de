import { expect } from 'chai';
import type { Locator, Page, Route } from 'playwright-core';
import sharp from 'sharp';
import { startSite, type TestApp } from '../support/app.ts';
import { closeWindows, expectAccessible, message, openBrowser } from '../support/browser.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

describe('avatars in the client', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;
  let halves: { name: string; mimeType: string; buffer: Buffer };

  before(async () => {
    app = await startSite();
    const buffer = await picture(800, 400).png().toBuffer();
    halves = { name: 'halves.png', mimeType: 'image/png', buffer };
  });
  beforeEach(async () => {
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { invite } = await ann.send('invite:create', { serverId: server.id });
    await ben.send('server:join', { code: invite.code });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
    await ann.send('message:send', { timelineId, body: 'Tea?' });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const you = (page: Page) => page.getByRole('region', { name: 'You' }).getByRole('button').first();
  const openSettings = async (page: Page) => {
    await you(page).click();
    await page.getByRole('menuitem', { name: 'Settings' }).click();
    return page.getByRole('dialog', { name: 'Settings' });
  };
  const crop = (page: Page) => page.getByRole('dialog', { name: 'Crop picture' });
  const choose = async (page: Page) => {
    await page.getByLabel('Picture', { exact: true }).setInputFiles(halves);
    await crop(page).locator('img').waitFor();
  };
  const shown = (where: Locator) => where.locator('.avatar img').first();
  /** The colors in the middle of the left and of the right half. */
  const coloursOf = async (image: Locator): Promise<string[]> => {
    const buffer = await image.screenshot();
    const { width, height } = await sharp(buffer).metadata();
    return Promise.all(
      [0.3, 0.7].map(async (part) => {
        const at = { left: Math.floor(width * part), top: Math.floor(height / 2) };
        const [red = 0, , blue = 0] = await sharp(buffer)
          .extract({ ...at, width: 1, height: 1 })
          .raw()
          .toBuffer();
        return red > blue ? 'red' : 'blue';
      }),
    );
  };
  const isThere = (image: Locator) =>
    until(() =>
      image.evaluate(
        (one: HTMLImageElement) => one.complete && one.naturalWidth === one.naturalHeight,
      ),
    );

  it('are cropped with the pointer, and appear at once on all devices of everyone who sees them', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    const { page: bens } = await openBrowser(app, { as: ben, path });
    await message(bens, 'Tea?').waitFor();
    const settings = await openSettings(page);
    await choose(page);
    expect(await coloursOf(crop(page).getByRole('button', { name: /Position/ }))).to.deep.equal([
      ...['red', 'blue'],
    ]);
    await expectAccessible(page);
    await saveScreenshots(page, 'crop-1280');
    const stage = (await crop(page)
      .getByRole('button', { name: /Position/ })
      .boundingBox())!;
    await page.mouse.move(stage.x + 10, stage.y + 100);
    await page.mouse.down();
    await page.mouse.move(stage.x + 270, stage.y + 120, { steps: 5 });
    await page.mouse.up();
    await crop(page).getByRole('button', { name: 'Save picture' }).click();
    await crop(page).waitFor({ state: 'detached' });
    await isThere(shown(settings));
    expect(await coloursOf(shown(settings))).to.deep.equal(['red', 'red']);
    await expectAccessible(page);
    await saveScreenshots(page, 'account-1280');
    const theirs = shown(message(bens, 'Tea?'));
    await isThere(theirs);
    expect(await coloursOf(theirs)).to.deep.equal(['red', 'red']);
    await saveScreenshots(bens, 'avatars-1280');
    await settings.getByRole('button', { name: 'Remove picture' }).click();
    await theirs.waitFor({ state: 'detached' });
    await message(bens, 'Tea?').locator('[data-initials]').first().waitFor();
    await settings.getByRole('button', { name: 'Choose a picture' }).waitFor();
  });

  it('are cropped with the keyboard alone, and saved with Enter', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    const settings = await openSettings(page);
    await choose(page);
    for (let i = 0; i < 6; i += 1) await page.keyboard.press('Shift+ArrowRight');
    await page.keyboard.press('Tab');
    for (let i = 0; i < 10; i += 1) await page.keyboard.press('ArrowRight');
    expect(await crop(page).getByLabel('Zoom').inputValue()).to.equal('1.5');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await crop(page).waitFor({ state: 'detached' });
    await isThere(shown(settings));
    expect(await coloursOf(shown(settings))).to.deep.equal(['blue', 'blue']);
  });

  it('reject a file that is no picture, with the reason, and do not store it', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await openSettings(page);
    const buffer = Buffer.from('not a picture');
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await crop(page).getByText('This picture can’t be read.').waitFor();
    await page.keyboard.press('Escape');
    await crop(page).waitFor({ state: 'detached' });
  });

  it('move nothing while they load, and show initials until then', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await openSettings(page);
    await choose(page);
    await crop(page).getByRole('button', { name: 'Save picture' }).click();
    await crop(page).waitFor({ state: 'detached' });
    for (const width of firstAtLength([1_280, 390])) {
      const { page: bens } = await openBrowser(app, { as: ben, path: undefined, width });
      const held: Route[] = [];
      await bens.route(/\/files\//, (route) => void held.push(route));
      await bens.goto(app.url + path);
      const row = message(bens, 'Tea?');
      await row.locator('[data-initials]').first().waitFor();
      const room = await row.boundingBox();
      await until(() => held.length > 0);
      await Promise.all(held.map((route) => route.continue()));
      await row.locator('[data-initials]').first().waitFor({ state: 'detached' });
      expect(await row.boundingBox()).to.deep.equal(room);
      await saveScreenshots(bens, `seen-${width}`);
    }
  });

  it('appear for servers in the rail, in the switcher and on the page of an invite', async () => {
    const { page } = await openBrowser(app, { as: ann, path });
    await page.getByRole('button', { name: 'Place', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Server settings' }).click();
    const settings = page.getByRole('dialog', { name: 'Server settings' });
    await page.getByLabel('Icon', { exact: true }).setInputFiles(halves);
    await crop(page).locator('img').waitFor();
    await expectAccessible(page);
    await crop(page).getByRole('button', { name: 'Save picture' }).click();
    await crop(page).waitFor({ state: 'detached' });
    await isThere(settings.locator('.tile img'));
    await expectAccessible(page);
    await saveScreenshots(page, 'server-settings-1280');
    await page.keyboard.press('Escape');
    const { page: bens } = await openBrowser(app, { as: ben, path });
    const rail = bens.getByRole('navigation', { name: 'Servers' });
    await isThere(rail.getByRole('link', { name: 'Place' }).locator('img'));
    await bens.keyboard.press('Control+k');
    await bens.keyboard.type('Place');
    await isThere(bens.getByRole('option', { name: /^Place/ }).locator('img'));
    await saveScreenshots(bens, 'switcher-1280');
    const serverId = path.split('/')[2]!;
    const { code } = (await ann.send('invite:create', { serverId })).invite;
    const { page: stranger } = await openBrowser(app, { path: `/join/${code}` });
    await isThere(stranger.locator('.tile img'));
    await saveScreenshots(stranger, 'invited-1280');
    await settings.waitFor({ state: 'detached' });
  });

  it('are chosen on a phone', async () => {
    const looks = { width: 390, height: 844, touch: true };
    const { page } = await openBrowser(app, { as: ann, path, ...looks });
    await page.getByRole('link', { name: /^Back to/ }).tap();
    await you(page).tap();
    await page.getByRole('menuitem', { name: 'Settings' }).tap();
    await page.getByRole('button', { name: 'Account', exact: true }).tap();
    await choose(page);
    await expectAccessible(page);
    await saveScreenshots(page, 'crop-390');
    await crop(page).getByRole('button', { name: 'Save picture' }).tap();
    await crop(page).waitFor({ state: 'detached' });
    await isThere(shown(page.getByRole('dialog')));
    await saveScreenshots(page, 'account-390');
  });
});
