import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  openBrowser,
  tabTo,
} from '../support/browser.ts';
import { upload } from '../support/files.ts';
import { atLength, firstAtLength } from '../support/length.ts';
import { film, tone } from '../support/media.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';
import { until } from '../support/time.ts';

/** In seconds. */
const [toneLasts, filmLasts] = atLength([40, 12], [100, 30]);

describe('players', () => {
  let app: TestApp;
  let ben: Person;
  let path: string;

  before(async () => {
    app = await startSite();
    const ann = await app.person('Ann');
    ben = await app.person('Ben');
    const { serverId, channelId } = await openPlace(ann, ben);
    path = `/s/${serverId}/${channelId}`;
    const files = [
      await upload(ann, channelId, tone(toneLasts), 'tone.wav'),
      await upload(ann, channelId, await film(filmLasts), 'film.webm'),
      await upload(ann, channelId, Buffer.from('tea'), 'notes.txt'),
    ];
    await ann.send('message:send', {
      timelineId: channelId,
      body: 'Listen',
      files: files.map(({ id }) => ({ id })),
    });
  });
  afterEach(closeWindows);
  after(() => app.close());

  for (const width of firstAtLength([1_280, 390]))
    it(`play and seek by keys alone, and do not trap the focus, at ${width} pixels`, async () => {
      const { page } = await openBrowser(app, { as: ben, path: undefined, width });
      const parts = partsOf(page);
      await page.goto(app.url + path);
      await composer(page).waitFor();
      const [sound, moving] = [page.locator('audio'), page.locator('video')];
      await moving.waitFor();
      expect(await moving.getAttribute('preload')).to.equal('none');
      const slow = await slowed(page);
      await expectAccessible(page);
      await tabTo(page, 'Ann, audio: tone.wav', 'Shift+Tab');
      await page.keyboard.press('Enter');
      await arrowTo(page, sound);

      await plays(page, sound);
      expect(await sound.evaluate((one: HTMLMediaElement) => one.duration)).to.equal(toneLasts);
      await seeks(page, sound);
      // Far beyond the loaded part: the server sends only the requested range.
      await until(() => parts.some(({ file, from }) => file === 'tone.wav' && from > 1_000_000));
      await slow.end();
      await page.keyboard.press('Space');
      await until(() => sound.evaluate((one: HTMLMediaElement) => one.paused));

      await tabInto(page, moving);
      // Nothing loads before playback: a video with its metadata at the end would hold connections.
      expect(parts.some(({ file }) => file === 'film.webm')).to.equal(false);
      await plays(page, moving);
      await seeks(page, moving);
      expect(parts.some(({ file }) => file === 'film.webm')).to.equal(true);
      await saveScreenshots(page, `players-${width}`);
      await expectAccessible(page);

      await tabInto(page, page.getByRole('link', { name: /^notes\.txt/ }));
      await page.keyboard.press('Escape');
      const row = page.getByRole('article', { name: /tone\.wav/ });
      await until(() => hasFocus(row));
      // The row is one tab stop again, so the next Tab leaves it.
      await page.keyboard.press('Shift+Tab');
      await tabTo(page, 'Ann, audio: tone.wav');
      await page.keyboard.press('Tab');
      expect(await row.evaluate((one) => one.contains(document.activeElement))).to.equal(false);
    });
});

/** Collects range responses, by their first byte. */
function partsOf(page: Page) {
  const parts: { file: string; from: number }[] = [];
  page.on('response', (response) => {
    const { 'content-range': range = '' } = response.headers();
    const from = Number(/^bytes (\d+)-/.exec(range)?.[1]);
    if (response.status() === 206)
      parts.push({ file: new URL(response.url()).pathname.split('/').at(-1) ?? '', from });
  });
  return parts;
}

/** Slows the connection, so that seeking is faster than loading. */
async function slowed(page: Page) {
  const line = await page.context().newCDPSession(page);
  const at = (downloadThroughput: number) =>
    line.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, uploadThroughput: -1 },
      downloadThroughput,
    });
  await at(5_000 * toneLasts);
  return {
    async end() {
      await at(-1);
      await line.detach();
    },
  };
}

const hasFocus = (one: Locator) => one.evaluate((node) => node === document.activeElement);
const timeOf = (one: Locator) => one.evaluate(({ currentTime }: HTMLMediaElement) => currentTime);

async function arrowTo(page: Page, player: Locator) {
  for (let i = 0; i < 10 && !(await hasFocus(player)); i += 1)
    await page.keyboard.press('ArrowRight');
  expect(await hasFocus(player)).to.equal(true);
}

/** Tabs to the target, past the controls that the browser has in a player. */
async function tabInto(page: Page, target: Locator) {
  for (let i = 0; i < 10 && !(await hasFocus(target)); i += 1) await page.keyboard.press('Tab');
  expect(await hasFocus(target)).to.equal(true);
}

async function plays(page: Page, player: Locator) {
  await page.keyboard.press('Space');
  await until(async () => (await timeOf(player)) > 0);
}

async function seeks(page: Page, player: Locator) {
  const duration = await player.evaluate((one: HTMLMediaElement) => one.duration);
  for (let i = 0; i < 60; i += 1) await page.keyboard.press('ArrowRight');
  await until(async () => (await timeOf(player)) > duration / 2);
  expect(await hasFocus(player)).to.equal(true);
  await page.keyboard.press('ArrowLeft');
  expect(await hasFocus(player)).to.equal(true);
}
