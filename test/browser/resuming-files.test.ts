import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import { limits } from '../../shared/limits.ts';
import { startSite, type TestApp } from '../support/app.ts';
import {
  closeWindows,
  composer,
  cutOff,
  inState,
  message,
  openBrowser,
  say,
  serverAway,
} from '../support/browser.ts';
import { heldChunks } from '../support/held-chunks.ts';
import { firstAtLength } from '../support/length.ts';
import type { Person } from '../support/person.ts';
import { saveScreenshots } from '../support/picture.ts';
import { openPlace } from '../support/place.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';

/** How many chunks the file has, and how many of them arrive at first. */
const [all, half] = [20, 10];
/** Up to this many chunks are under way, and sent again if they may be lost. */
const underWay = 4;

describe('interrupted uploads', () => {
  let first: TestApp;
  let second: TestApp;
  let proxy: Proxy;
  let ann: Person;
  let ben: Person;
  let path: string;
  let timelineId: string;

  before(async () => {
    const { url } = await sharedRedis();
    const settings = { REDIS_URL: url, PARLEY_REDIS_PREFIX: freshPrefix() };
    first = await startSite(settings);
    second = await startSite(settings, first.where);
  });
  beforeEach(async () => {
    proxy = await startProxy({ port: portOf(first) });
    [ann, ben] = await Promise.all([first.person('Ann'), second.person('Ben')]);
    const { serverId, channelId } = await openPlace(ann, ben);
    timelineId = channelId;
    path = `/s/${serverId}/${channelId}`;
  });
  afterEach(async () => {
    await closeWindows();
    proxy.close();
  });
  after(async () => {
    await second.close();
    await first.close();
  });

  const bytes = Buffer.alloc(all * limits.fileChunkBytes, 'tea and cake\n');

  /** A page of which half of the file has arrived, and whose message waits for the rest. */
  async function halfway() {
    const url = `http://127.0.0.1:${proxy.port}`;
    const { page, forgive } = await openBrowser({ ...first, url }, { as: ann, path: undefined });
    forgive(serverAway);
    forgive(cutOff);
    const chunks = await heldChunks(page);
    await page.goto(url + path);
    await composer(page).waitFor();
    chunks.hold(half);
    const file = { name: 'list.txt', mimeType: 'text/plain', buffer: bytes };
    await page.getByLabel('Files to attach').setInputFiles(file);
    // The code that attaches files loads on demand. Without the file, the message would be sent.
    await page.getByRole('list', { name: 'Files to send' }).getByText('list.txt').waitFor();
    await say(page, 'Read this');
    const row = inState(message(page, 'Read this'), 'pending');
    await row.getByText(/50 % of/).waitFor();
    expect(chunks.passed).to.equal(half * limits.fileChunkBytes);
    return { page, chunks };
  }

  async function arrives(page: Page) {
    await inState(message(page, 'Read this'), 'sent').waitFor();
    const { messages } = await ben.send('message:list', { timelineId, limit: 10 });
    expect(messages.map(({ body }) => body)).to.deep.equal(['Read this']);
    const [file] = messages[0]!.files!;
    const { cookie } = ben;
    const answer = await fetch(`${second.url}/files/${file!.id}/list.txt`, { headers: { cookie } });
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).to.equal(true);
  }

  it('resume on another node when the connection is cut', async () => {
    const { page, chunks } = await halfway();
    proxy.cut();
    await page.getByText('Reconnecting…').waitFor();
    proxy.leadTo({ port: portOf(second) });
    proxy.mend();
    chunks.letGo();
    await arrives(page);
    expect(chunks.passed).to.be.within(
      bytes.length,
      bytes.length + underWay * limits.fileChunkBytes,
    );
  });

  it('resume on another node after a reload', async () => {
    const { page, chunks } = await halfway();
    await until(() => keeps(page));
    proxy.leadTo({ port: portOf(second) });
    await page.reload();
    await inState(message(page, 'Read this'), 'pending').waitFor();
    chunks.letGo();
    await arrives(page);
    expect(chunks.passed).to.be.within(
      bytes.length,
      bytes.length + underWay * limits.fileChunkBytes,
    );
  });

  it('restart after the server has deleted them', async () => {
    const { page, chunks } = await halfway();
    const { db } = first;
    await query(db, `update files set progressed_at = now() - interval '11 minutes'`);
    await until(async () => {
      first.pass(1_000);
      return (await query(db, 'select from files where finished_at is null')).length === 0;
    });
    chunks.letGo();
    await arrives(page);
  });

  for (const width of firstAtLength([1_280, 390]))
    it(`wait without a connection like messages, and are sent once and in order, at ${width} pixels`, async () => {
      const looks = { as: ann, path, width, ahead: true };
      const { page, forgive } = await openBrowser(first, looks);
      forgive(serverAway);
      await composer(page).waitFor();
      // As for anyone who has been here for some seconds.
      await until(() => page.evaluate<boolean>(fetchedAhead));
      await page.context().setOffline(true);
      await page.getByText('Reconnecting…').waitFor();
      await say(page, 'Before');
      await attach(page, 'first.txt');
      await attach(page, 'second.txt');
      await say(page, 'With files');
      await say(page, 'After');
      await inState(message(page, 'With files'), 'pending').getByText('first.txt').waitFor();
      await saveScreenshots(page, `offline-files-${width}`);
      expect(await stored()).to.deep.equal([]);
      await page.context().setOffline(false);
      await inState(message(page, 'After'), 'sent').waitFor();
      expect(await stored()).to.deep.equal(['Before', 'With files first.txt second.txt', 'After']);
    });

  const attach = async (page: Page, name: string) => {
    const file = { name, mimeType: 'text/plain', buffer: bytes };
    await page.getByLabel('Files to attach').setInputFiles(file);
    await page.getByRole('list', { name: 'Files to send' }).getByText(name).waitFor();
  };
  const stored = async () =>
    (await ben.send('message:list', { timelineId, limit: 100 })).messages.map(
      ({ body, files = [] }) => [body, ...files.map(({ name }) => name)].join(' '),
    );
});

const portOf = ({ url }: TestApp) => Number(new URL(url).port);

const fetchedAhead = `['attaching', 'FileGrid'].every((part) =>
  performance.getEntriesByType('resource').some(({ name }) => name.includes('/' + part + '-')))`;

/** True when the device keeps the file for the next visit. As text: see page-scripts.ts. */
const keeps = (page: Page): Promise<boolean> =>
  page.evaluate(`new Promise((resolve) => {
    const request = indexedDB.open('parley');
    request.onsuccess = () => {
      const db = request.result;
      const count = db.transaction('blobs').objectStore('blobs').count();
      count.onsuccess = () => {
        db.close();
        resolve(count.result === 1);
      };
    };
  })`);
