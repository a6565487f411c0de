import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  expectAccessible,
  inState,
  message,
  openBrowser,
  say,
  type Looks,
} from '../support/browser.ts';
import { heldChunks } from '../support/held-chunks.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { picture } from '../support/pictures.ts';
import { until } from '../support/time.ts';

describe('sending while files are uploaded', () => {
  let app: TestApp;
  let ann: Person;
  let path: string;
  let timelineId: string;

  before(async () => {
    app = await startSite({ PARLEY_FILE_MB: '3' });
  });
  beforeEach(async () => {
    ann = await app.person('Ann');
    const { server } = await ann.send('server:create', { name: 'Place' });
    timelineId = server.defaultChannelId;
    path = `/s/${server.id}/${timelineId}`;
  });
  afterEach(closeWindows);
  after(() => app.close());

  const open = async (looks: Looks = {}) => {
    const { page } = await openBrowser(app, { as: ann, ...looks, path: undefined });
    const chunks = await heldChunks(page);
    await page.goto(app.url + path);
    await composer(page).waitFor();
    chunks.hold();
    return { page, chunks };
  };
  const attach = async (page: Page, name: string, buffer: Buffer) => {
    const mimeType = name.endsWith('.png') ? 'image/png' : 'text/plain';
    await page.getByLabel('Files to attach').setInputFiles({ name, mimeType, buffer });
    await page.getByRole('list', { name: 'Files to send' }).getByText(name).waitFor();
  };
  const stored = async () =>
    (await ann.send('message:list', { timelineId, limit: 100 })).messages.map(
      ({ body, files = [] }) => [body, ...files.map(({ name }) => name)].join(' '),
    );
  const lines = Buffer.alloc(400_000, 'tea\n');

  for (const [width, theme] of firstAtLength([
    [390, 'dark'],
    [1_280, 'light'],
  ]))
    it(`shows the message at once with its progress, and keeps the order, at ${width} pixels`, async () => {
      const { page, chunks } = await open({ width, theme });
      const tea = await picture(600, 300).png().toBuffer();
      await attach(page, 'tea.png', tea);
      await say(page, 'Look at this');
      await attach(page, 'list.txt', lines);
      await say(page, 'And read this');
      await say(page, 'What do you think?');
      const first = inState(message(page, 'Look at this'), 'pending');
      await first.getByRole('progressbar', { name: 'Uploading tea.png' }).waitFor();
      await until(() =>
        first
          .getByRole('img', { name: 'tea.png' })
          .evaluate((one: HTMLImageElement) => one.naturalWidth === 600),
      );
      const second = inState(message(page, 'And read this'), 'pending');
      await second.getByText('0 % of 400 kB').waitFor();
      await inState(message(page, 'What do you think?'), 'pending').waitFor();
      expect(await composer(page).inputValue()).to.equal('');
      await expectAccessible(page);
      const { PICTURES } = process.env;
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/pending-${width}.png` });
      expect(await stored()).to.deep.equal([]);
      chunks.letGo();
      await inState(message(page, 'What do you think?'), 'sent').waitFor();
      const sent = ['Look at this tea.png', 'And read this list.txt', 'What do you think?'];
      expect(await stored()).to.deep.equal(sent);
    });

  it('goes on after a reload', async () => {
    const { page, chunks } = await open();
    await attach(page, 'list.txt', lines);
    await say(page, 'Read this');
    await message(page, 'Read this').getByRole('progressbar').waitFor();
    await until(async () => (await keptIn(page)) === 1);
    await page.reload();
    await inState(message(page, 'Read this'), 'pending').waitFor();
    chunks.letGo();
    await inState(message(page, 'Read this'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Read this list.txt']);
    await until(async () => (await keptIn(page)) === 0);
  });

  it('keeps at most the files of two messages for a later visit: the oldest are removed first', async () => {
    const { page } = await open();
    // 3 MB each, so that twenty of them are the limit.
    await attach(page, 'list.txt', lines);
    await until(async () => (await keptIn(page)) === 1);
    await keepOlder(page, [100_000, 1_000_000, 40_000_000, 19_000_000]);
    await attach(page, 'more.txt', lines);
    await until(async () => (await sizesIn(page)).at(-1) === lines.length);
    // The file of 40 MB and all older ones are gone, though the older ones would fit by themselves.
    const millions = (await sizesIn(page)).map((size) => size / 1_000_000);
    expect(millions).to.deep.equal([40, 19, 0.4, 0.4]);
  });

  it('is sent once, whichever tab has uploaded its files first', async () => {
    const { page, chunks } = await open();
    await attach(page, 'list.txt', lines);
    await say(page, 'Read this');
    await until(async () => (await keptIn(page)) === 1);
    const other = await page.context().newPage();
    await other.goto(app.url + path);
    await inState(message(other, 'Read this'), 'sent').waitFor();
    chunks.letGo();
    await inState(message(page, 'Read this'), 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Read this list.txt']);
    expect(await message(other, 'Read this').count()).to.equal(1);
    await until(async () => (await keptIn(page)) === 0);
  });

  it('leaves nothing on the device after its author signs out', async () => {
    const { page } = await open();
    await attach(page, 'list.txt', lines);
    await say(page, 'Read this');
    await until(async () => (await keptIn(page)) === 1);
    await page
      .getByRole('button', { name: /^Ann\b/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('tab', { name: 'Sign in' }).waitFor();
    await until(async () => (await keptIn(page)) === 0);
  });

  it('fails and keeps its text when the upload is cancelled, lets other messages pass, and is sent by Retry', async () => {
    const { page, chunks } = await open();
    const row = message(page, 'Read this');
    await attach(page, 'list.txt', lines);
    await say(page, 'Read this');
    await say(page, 'Never mind');
    await row.getByRole('button', { name: 'Cancel uploading list.txt' }).click();
    await row.getByText('Not sent: You cancelled the upload.').waitFor();
    await row.getByText('Upload failed').waitFor();
    await inState(message(page, 'Never mind'), 'sent').waitFor();
    await expectAccessible(page);
    const { PICTURES } = process.env;
    if (PICTURES) await page.screenshot({ path: `${PICTURES}/cancelled.png` });
    chunks.letGo();
    await row.getByRole('button', { name: 'Retry' }).click();
    await inState(row, 'sent').waitFor();
    expect(await stored()).to.deep.equal(['Never mind', 'Read this list.txt']);
  });

  it('fails and keeps its text if the file is no longer on the device, and can be deleted', async () => {
    const { page } = await open();
    await attach(page, 'list.txt', lines);
    await say(page, 'Read this');
    await until(async () => (await keptIn(page)) === 1);
    await page.evaluate(() => {
      indexedDB.deleteDatabase('parley');
    });
    await page.reload();
    const row = message(page, 'Read this');
    await row.getByText(/Not sent: “list.txt” is no longer on this device/).waitFor();
    await row.getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await stored()).to.deep.equal([]);
  });
});

const keptIn = async (page: Page): Promise<number> => (await sizesIn(page)).length;

const sizesIn = (page: Page): Promise<number[]> =>
  page.evaluate(`(${inBlobs})((blobs, done) => {
    const all = blobs.getAll();
    all.onsuccess = () => done(all.result.map(({ size }) => size));
  })`);

/** Stores more files, dated an hour ago and before, the oldest first. */
const keepOlder = (page: Page, sizes: number[]): Promise<void> =>
  page.evaluate(`(${inBlobs})((blobs, done) => {
    const sizes = ${JSON.stringify(sizes)};
    for (const [i, size] of sizes.entries()) {
      const at = Date.now() - 3_600_000 - 1_000 * (sizes.length - i);
      const hex = at.toString(16).padStart(12, '0');
      const id = hex.slice(0, 8) + '-' + hex.slice(8) + '-7000-8000-000000000000';
      blobs.put(new Blob([new Uint8Array(size)]), id);
    }
    blobs.transaction.oncomplete = () => done();
  })`);

/** As text: see page-scripts.ts. */
const inBlobs = `(work) => new Promise((resolve, reject) => {
  const request = indexedDB.open('parley');
  request.onerror = () => reject(new Error('no database'));
  request.onsuccess = () => {
    const db = request.result;
    const finish = (result) => {
      db.close();
      resolve(result);
    };
    if (!db.objectStoreNames.contains('blobs')) finish([]);
    else work(db.transaction('blobs', 'readwrite').objectStore('blobs'), finish);
  };
})`;
