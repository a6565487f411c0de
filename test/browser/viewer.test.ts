import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import sharp from 'sharp';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  openBrowser,
  tabTo,
  type Looks,
} from '../support/browser.ts';
import { upload } from '../support/files.ts';
import { dragFinger, pinchFingers } from '../support/finger.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { picture } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('looking at pictures', () => {
  let app: TestApp;
  let ben: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    const ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { serverId, channelId } = await openPlace(ann, ben);
    path = `/s/${serverId}/${channelId}`;
    const files: { id: string; alt: string }[] = [];
    for (const alt of ['The sea', 'The shore', 'The town']) {
      const bytes = await picture(1_600, 1_200).jpeg().toBuffer();
      files.push({ id: (await upload(ann, channelId, bytes, `${alt}.jpg`)).id, alt });
    }
    await ann.send('message:send', { timelineId: channelId, body: 'Look', files });
  });
  afterEach(closeWindows);
  after(() => app.close());

  const open = async (looks: Looks) => {
    const { page } = await openBrowser(app, { as: ben, path, ...looks });
    const viewer = (name: string) => page.getByRole('dialog', { name });
    const look = async (name: string) => {
      const { PICTURES } = process.env;
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/viewer-${name}.png` });
    };
    return { page, viewer, look };
  };

  it('on a phone: a swipe leads to the next and back, a tap enlarges, Back closes', async () => {
    const { page, viewer, look } = await open({ width: 390, height: 844, touch: true });
    await page.getByRole('button', { name: 'View The sea' }).tap();
    await viewer('The sea').getByText('1 of 3').waitFor();
    await expectAccessible(page);
    await look('phone');
    await dragFinger(viewer('The sea').getByRole('img'), { x: -120 });
    await viewer('The shore').getByText('2 of 3').waitFor();
    await dragFinger(viewer('The shore').getByRole('img'), { x: 120 });
    await viewer('The sea').getByText('1 of 3').waitFor();
    // There is no picture before the first, and a short drag is no swipe.
    await dragFinger(viewer('The sea').getByRole('img'), { x: 120 });
    await dragFinger(viewer('The sea').getByRole('img'), { x: -30 });
    await viewer('The sea').getByText('1 of 3').waitFor();
    const shown = viewer('The sea').getByRole('img');
    const width = async () => (await shown.boundingBox())!.width;
    const fitting = await width();
    expect(fitting).to.be.at.most(390);
    await viewer('The sea').getByRole('button', { name: 'Actual size' }).tap();
    await until(async () => (await width()) > fitting);
    await look('phone-enlarged');
    // Dragging moves a picture larger than the screen, and does not switch pictures.
    await dragFinger(shown, { x: -120 });
    await viewer('The sea').getByRole('button', { name: 'Fit to window' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).to.equal(path);
  });

  it('on a phone: two fingers zoom around their position, and one moves the zoomed picture', async () => {
    const { page, viewer } = await open({ width: 390, height: 844, touch: true });
    await page.getByRole('button', { name: 'View The sea' }).tap();
    const shown = viewer('The sea').getByRole('img');
    await until(() => shown.evaluate((one: HTMLImageElement) => one.naturalWidth > 0));
    const room = (await shown.boundingBox())!;
    expect([room.x, room.width]).to.deep.equal([0, 390]);
    // A third from the left: the point under the fingers stays there.
    const point = { x: 130, y: room.y + room.height / 2 };
    await pinchFingers(page, point, { from: 80, to: 240 });
    const large = (await shown.boundingBox())!;
    expect(large.width).to.be.closeTo(3 * 390, 2);
    expect(large.x).to.be.closeTo(130 - 390, 2);
    expect(large.y + large.height / 2).to.be.closeTo(point.y, 2);
    await saveScreenshots(page, 'viewer-pinched');
    await dragFinger(shown, { x: -100 });
    await until(async () => (await shown.boundingBox())!.x < large.x - 50);
    await dragFinger(shown, { y: -60 });
    await until(async () => (await shown.boundingBox())!.y < large.y - 20);
    // Zoom ends at four times, or at the actual size.
    await pinchFingers(page, point, { from: 40, to: 600 });
    expect((await shown.boundingBox())!.width).to.equal(1_600);
    await pinchFingers(page, point, { from: 600, to: 60 });
    await viewer('The sea').getByRole('button', { name: 'Actual size' }).waitFor();
    expect(await shown.boundingBox()).to.deep.equal(room);
    // The picture was zoomed, not the page, and no swipe happened.
    expect(await page.evaluate('visualViewport.scale')).to.equal(1);
    await viewer('The sea').getByText('1 of 3').waitFor();
  });

  it('at a desk: by keys and buttons, and the focus is back where it was', async () => {
    const { page, viewer, look } = await open({});
    const first = page.getByRole('button', { name: 'View The sea' });
    await first.click();
    await viewer('The sea').getByRole('button', { name: 'Next' }).click();
    await page.keyboard.press('ArrowRight');
    await viewer('The town').getByText('3 of 3').waitFor();
    await expectAccessible(page);
    await look('desk');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await until(() => first.evaluate((one) => one === document.activeElement));
  });

  for (const width of [1_280, 390])
    it(`by keys alone: opened from its row, enlarged, and downloaded, at ${width} pixels`, async () => {
      const { page, viewer, look } = await open({ width });
      await composer(page).waitFor();
      await page.getByRole('button', { name: 'View The sea' }).waitFor();
      await tabTo(page, 'Ann, picture: The sea', 'Shift+Tab');
      await page.keyboard.press('Enter');
      const second = page.getByRole('button', { name: 'View The shore' });
      for (let i = 0; i < 10 && !(await hasFocus(second)); i += 1)
        await page.keyboard.press('ArrowRight');
      await page.keyboard.press('Enter');
      await viewer('The shore').getByText('2 of 3').waitFor();
      const enlarged = viewer('The shore').getByRole('button', { name: 'Fit to window' });
      const fitting = viewer('The shore').getByRole('button', { name: 'Actual size' });
      const shown = viewer('The shore').getByRole('img');
      const box = async () => (await shown.boundingBox())!;
      await page.keyboard.press('+');
      await enlarged.waitFor();
      const first = await box();
      await page.keyboard.press('+');
      await page.keyboard.press('+');
      const larger = await box();
      expect(larger.width / first.width).to.be.closeTo(1.5 ** 2, 0.01);
      await saveScreenshots(page, `viewer-zoomed-${width}`);
      // Arrow keys move the picture, and do not switch it.
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowDown');
      const moved = await box();
      expect([larger.x - moved.x, larger.y - moved.y]).to.deep.equal([80, 80]);
      await page.keyboard.press('-');
      await page.keyboard.press('-');
      expect((await box()).width).to.be.closeTo(first.width, 1);
      await page.keyboard.press('-');
      await fitting.waitFor();
      await page.keyboard.press('=');
      await enlarged.waitFor();
      await page.keyboard.press('0');
      await fitting.waitFor();
      await page.keyboard.press('ArrowLeft');
      await viewer('The sea').getByText('1 of 3').waitFor();
      await tabTo(page, 'Download The sea.jpg', 'Shift+Tab');
      await look(`keys-${width}`);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.keyboard.press('Enter'),
      ]);
      expect(download.suggestedFilename()).to.equal('The sea.jpg');
      const { width: wide } = await sharp(await download.path()).metadata();
      expect(wide).to.equal(1_600);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await until(() => hasFocus(second));
      await page.keyboard.press('Escape');
      await until(() => hasFocus(page.getByRole('article', { name: /The shore/ })));
    });
});

const hasFocus = (one: Locator) => one.evaluate((node) => node === document.activeElement);
