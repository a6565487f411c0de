import { expect } from 'chai';
import type { Page, Route } from 'playwright-core';
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
import { upload } from '../support/files.ts';
import { heldChunks } from '../support/held-chunks.ts';
import { firstAtLength } from '../support/length.ts';
import { film, tone } from '../support/media.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { picture } from '../support/pictures.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

describe('the space for files', () => {
  let app: TestApp;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;

  before(async () => {
    app = await startSite();
    [ann, ben] = await Promise.all([app.person('Ann'), app.person('Ben')]);
    const { serverId, channelId } = await openPlace(ann, ben);
    timelineId = channelId;
    path = `/s/${serverId}/${channelId}`;
    const photo = await picture(800, 600).jpeg().toBuffer();
    const files = {
      'Three pictures and a film': ['a.jpg', 'b.jpg', 'c.jpg', 'film.webm'],
      'A picture and a list': ['d.jpg', 'list.pdf'],
      'To hear and to read': ['tone.wav', 'notes.txt'],
    };
    const bytesOf = async (name: string) => {
      if (name.endsWith('.jpg')) return photo;
      if (name.endsWith('.webm')) return film(10);
      return name.endsWith('.wav') ? tone(1) : Buffer.from('tea');
    };
    for (const [body, names] of Object.entries(files)) {
      const sent: { id: string }[] = [];
      for (const name of names) {
        const { id } = await upload(ann, timelineId, await bytesOf(name), name);
        sent.push({ id });
      }
      await ann.send('message:send', { timelineId, body, files: sent });
    }
  });
  afterEach(closeWindows);
  after(() => app.close());

  const heights = async (page: Page) => {
    const found: number[] = [];
    for (const body of ['Three pictures', 'A picture', 'To hear'])
      found.push((await message(page, body).boundingBox())!.height);
    return found;
  };

  for (const width of firstAtLength([1_280, 390]))
    it(`is reserved from the first moment, for every kind of file, at ${width} pixels`, async () => {
      const { page } = await openBrowser(app, { as: ben, path: undefined, width });
      const [parts, files] = [await held(page, /\/FileGrid-.*\.js/), await held(page, /\/files\//)];
      await page.goto(app.url + path);
      await composer(page).waitFor();
      await message(page, 'To hear').waitFor();
      await until(() => parts.waiting.length > 0);
      const empty = await heights(page);
      await parts.letGo();
      const row = message(page, 'Three pictures');
      await row.getByRole('button', { name: /^View/ }).nth(2).waitFor();
      await row.locator('video').waitFor();
      expect(await heights(page)).to.deep.equal(empty);
      await files.letGo();
      await page.evaluate(loadFilms);
      await until(() => page.evaluate(allCome));
      expect(await heights(page)).to.deep.equal(empty);
      await row.scrollIntoViewIfNeeded();
      await saveScreenshots(page, `room-${width}`);
    });

  for (const width of firstAtLength([1_280, 390]))
    it(`is reserved before they are sent, after a reload too, at ${width} pixels`, async () => {
      const { page } = await openBrowser(app, { as: ann, path: undefined, width });
      const chunks = await heldChunks(page);
      await page.goto(app.url + path);
      await composer(page).waitFor();
      chunks.hold();
      await page.getByLabel('Files to attach').setInputFiles([
        {
          name: 'photo.png',
          mimeType: 'image/png',
          buffer: await picture(600, 500).png().toBuffer(),
        },
        { name: 'film.webm', mimeType: 'video/webm', buffer: await film(3) },
        { name: 'tone.wav', mimeType: 'audio/wav', buffer: tone(2) },
      ]);
      await until(() => page.evaluate(tileCome));
      const words = `Of ${width} pixels`;
      const row = message(page, words);
      const heightOf = async () => (await row.boundingBox())!.height;
      await say(page, words);
      await row.getByRole('progressbar', { name: 'Uploading film.webm' }).waitFor();
      const before = await heightOf();
      await until(() => page.evaluate(filmCome));
      expect(await heightOf()).to.equal(before);
      await expectAccessible(page);
      await saveScreenshots(page, `room-pending-${width}`);

      await page.reload();
      await message(page, 'To hear').waitFor();
      await inState(row, 'pending').waitFor();
      await row.getByRole('progressbar', { name: 'Uploading film.webm' }).waitFor();
      expect(await heightOf()).to.equal(before);

      chunks.letGo();
      await inState(row, 'sent').waitFor();
      await row.locator('audio').waitFor();
      await page.evaluate(loadFilms);
      await until(() => page.evaluate(filmCome));
      expect(await heightOf()).to.equal(before);
    });
});

/** Withholds matching responses from the page until `letGo`. */
async function held(page: Page, pattern: RegExp) {
  const waiting: Route[] = [];
  let isHeld = true;
  await page.route(pattern, (route) => (isHeld ? void waiting.push(route) : route.continue()));
  return {
    waiting,
    async letGo() {
      isHeld = false;
      await Promise.all(waiting.map((route) => route.continue()));
    },
  };
}

/** As text: see page-scripts.ts. */
const tileCome = `document.querySelector('[aria-label="Files to send"] img')?.naturalWidth > 0`;
/** Loads videos, because a sent one loads nothing before it is played. */
const loadFilms = `for (const film of document.querySelectorAll('article video')) {
  film.preload = 'metadata';
  film.load();
}`;
const filmCome = `[...document.querySelectorAll('article video')].at(-1)?.readyState > 0`;
const allCome = `[...document.querySelectorAll('article img')].every((one) => one.complete && one.naturalWidth > 0) &&
  document.querySelector('video').readyState > 0`;
