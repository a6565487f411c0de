import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect as dial, type AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { query } from '../../server/database/database.ts';
import { openObjectStore } from '../../server/files/object-store.ts';
import type { Logger } from '../../server/node/log.ts';
import type { File } from '../../shared/files.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { keys, openBucket, settle, type ObjectBucket } from '../support/file-stores.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { until } from '../support/time.ts';

const bytes = randomBytes(900_000);

const get = ({ url }: TestApp, { cookie }: Person, { id }: File) =>
  fetch(`${url}/files/${id}/a`, { headers: { cookie } });

const refusedWith = (words: RegExp) => (error: unknown) => {
  expect((error as Error).message).to.match(words);
};

describe('files that move to an object store', () => {
  let bucket: ObjectBucket;
  before(async () => {
    bucket = await openBucket();
  });
  after(() => bucket.close());

  const begin = async (settings: Record<string, string> = {}, where?: TestApp['where']) => {
    const app = await startApp({ PARLEY_FILE_MB: '1', ...settings }, where);
    const ann = await app.person('Ann');
    const { servers } = await ann.send('server:list', {});
    return { app, ann, timelineId: servers[0]!.defaultChannelId };
  };
  const isWhole = async (response: Response) => {
    expect(response.status).to.equal(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).to.equal(true);
  };

  it('are moved even if they were in the database before, and are then in one place', async () => {
    const first = await begin();
    const file = await upload(first.ann, first.timelineId, bytes);
    await first.ann.send('message:send', {
      timelineId: first.timelineId,
      files: [{ id: file.id }],
    });
    await first.app.close();
    const app = await startApp({ PARLEY_FILE_MB: '1', ...bucket.settings }, first.app.where);
    await settle(app);
    expect((await bucket.objects()).get(file.id)).to.equal(bytes.length);
    expect(await query(app.db, 'select 1 from file_chunks')).to.be.empty;
    await isWhole(await get(app, first.ann, file));
    await app.close();
    await startApp({}, first.app.where).then(
      () => expect.fail('it started'),
      refusedWith(/^PARLEY_FILES: /),
    );
  });

  it('are read to the end by a client that began before the move', async () => {
    const { app, ann, timelineId } = await begin(bucket.settings);
    const large = await upload(ann, timelineId, bytes);
    const { hostname, port } = new URL(app.url);
    const socket = dial(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET /files/${large.id}/a HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`);
    socket.write(`Cookie: ${ann.cookie}\r\nConnection: close\r\n\r\n`);
    await once(socket, 'readable');
    await settle(app);
    expect((await bucket.objects()).get(large.id)).to.equal(bytes.length);
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]);
    expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(bytes)).to.equal(true);
    await app.close();
  });

  it('stay in the database while the store is away, and moved ones answer 503', async () => {
    const away = await openBucket();
    const { app, ann, timelineId } = await begin(away.settings);
    const moved = await upload(ann, timelineId, bytes);
    await settle(app);
    await away.close();
    expect((await get(app, ann, moved)).status).to.equal(503);
    const file = await upload(ann, timelineId, bytes);
    app.pass(1_000);
    await isWhole(await get(app, ann, file));
    await app.close();
    const again = await startApp({ ...away.settings }, app.where);
    await isWhole(await get(again, ann, file));
    await again.close();
  });

  it('stay in the database while the store refuses, moved ones answer 503, and the log says what to do', async () => {
    const mine = await openBucket();
    const { app, ann, timelineId } = await begin(mine.settings);
    const moved = await upload(ann, timelineId, bytes);
    await settle(app);
    await mine.refuse(true);
    expect((await get(app, ann, moved)).status).to.equal(503);
    const file = await upload(ann, timelineId, bytes);
    app.pass(1_000);
    await isWhole(await get(app, ann, file));
    const said: string[] = [];
    const printer = (_: unknown, words = String(_)) => void said.push(words);
    const log = { warn: printer, info: printer } as unknown as Logger;
    await mine.refuse(false);
    const store = await openObjectStore(mine.settings.PARLEY_FILES, log);
    const write = () => store!.write('tea', 3, Readable.from([Buffer.from('tea')]));
    await mine.refuse(true);
    for (let i = 0; i < 3; i += 1)
      await write().then(() => expect.fail('it was written'), refusedWith(/can’t reach its files/));
    expect(said).to.have.length(1);
    expect(said[0]).to.match(/^the object store refused access: check the bucket in PARLEY_FILES/);
    await mine.refuse(false);
    await write();
    expect(said.slice(1)).to.deep.equal(['the object store is available again']);
    // Files that failed to move are retried only after half a minute.
    await query(app.db, 'update files set moving_until = now()');
    await settle(app);
    for (const one of [file, moved]) await isWhole(await get(app, ann, one));
    await app.close();
    await mine.close();
  });

  it('leave nothing in the store when they are deleted after a node ended during the move', async () => {
    const { app, ann, timelineId } = await begin(bucket.settings);
    app.hold();
    const file = await upload(ann, timelineId, bytes);
    await bucket.write(file.id, bytes.subarray(0, 1_000));
    const moving = (until: string) =>
      query(app.db, `update files set moving_until = now() + $2::interval where id = $1`, [
        file.id,
        until,
      ]);
    await moving('1 minute');
    await isWhole(await get(app, ann, file));
    await ann.send('file:delete', { fileId: file.id });
    app.pass(1_000);
    expect((await bucket.objects()).has(file.id)).to.equal(true);
    await moving('-1 second');
    await until(async () => {
      app.pass(1_000);
      return !(await bucket.sizes(app.db)).has(file.id);
    });
    await app.close();
  });

  it('do not keep a node from closing while the store is slow', async () => {
    let asked = 0;
    // Keeps the request alive and never answers it.
    const slow = createServer((request, response) => {
      if (request.url?.includes('/check')) return void response.end();
      asked += 1;
      const alive = setInterval(() => {
        response.writeProcessing();
      }, 1_000);
      response.once('close', () => {
        clearInterval(alive);
      });
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    const { port } = slow.address() as AddressInfo;
    const away = { ...keys, PARLEY_FILES: `s3://parley/files?endpoint=http://127.0.0.1:${port}` };
    const { app, ann, timelineId } = await begin(away);
    const file = await upload(ann, timelineId, bytes);
    app.pass(1_000);
    await until(() => asked > 0);
    await app.close();
    slow.close();
    const again = await startApp({ PARLEY_FILE_MB: '1', ...bucket.settings }, app.where);
    await query(again.db, 'update files set moving_until = now()');
    await settle(again);
    expect((await bucket.objects()).get(file.id)).to.equal(bytes.length);
    await isWhole(await get(again, ann, file));
    await again.close();
  });

  it('keep a node from starting where the store refuses', async () => {
    const url = bucket.settings.PARLEY_FILES!.replace('parley', 'elsewhere');
    await startApp({ PARLEY_FILES: url }).then(
      () => expect.fail('it started'),
      refusedWith(/^PARLEY_FILES: can’t write to the bucket elsewhere/),
    );
    process.env.AWS_ACCESS_KEY_ID = 'SOMEBODY';
    await startApp({ PARLEY_FILES: bucket.settings.PARLEY_FILES! }).then(
      () => expect.fail('it started'),
      refusedWith(/^PARLEY_FILES: can’t write to the bucket parley: .*\(InvalidAccessKeyId\)$/),
    );
    Object.assign(process.env, keys);
    for (const wrong of ['s3://', 'https://parley', 's3://parley?key=x', 's3://parley?endpoint=x'])
      await startApp({ PARLEY_FILES: wrong }).then(
        () => expect.fail(`${wrong} is taken`),
        refusedWith(/^PARLEY_FILES: /),
      );
  });

  it('are moved while five hundred downloads are not read', async () => {
    const log = { warn: () => undefined, info: () => undefined } as unknown as Logger;
    const store = (await openObjectStore(bucket.settings.PARLEY_FILES, log))!;
    /** Like the mover, tries again if the store is busy. */
    const write = (id: string, bytes: Buffer) =>
      until(() =>
        store.write(id, bytes.length, Readable.from([bytes])).then(
          () => true,
          () => false,
        ),
      );
    const size = 200_000;
    await write('large', Buffer.alloc(size));
    const downloads = Array.from({ length: 500 }, () =>
      store.read('large', 0, size)[Symbol.asyncIterator](),
    );
    await Promise.all(downloads.map((download) => download.next()));
    await write('small', Buffer.from('hello'));
    expect((await bucket.objects()).get('small')).to.equal(5);
    for (const download of downloads) await download.return?.();
    for (const id of ['large', 'small']) await store.remove(id);
  });
});

describe('files that a client requests and does not read', () => {
  it('are refused beyond a limit, and other accounts are not affected', async () => {
    const app = await startApp();
    const [ann, ben] = [await app.person('Ann'), await app.person('Ben')];
    const { servers } = await ann.send('server:list', {});
    const timelineId = servers[0]!.defaultChannelId;
    const file = await upload(ann, timelineId, Buffer.concat(Array<Buffer>(9).fill(bytes)));
    await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
    const { hostname, port } = new URL(app.url);
    let refused = 0;
    const sockets = Array.from({ length: 250 }, () => {
      const socket = dial(Number(port), hostname);
      socket.on('error', () => undefined);
      socket.write(`GET /files/${file.id}/a HTTP/1.1\r\nHost: ${hostname}:${port}\r\n`);
      socket.write(`Cookie: ${ann.cookie}\r\n\r\n`);
      socket.once('data', (answer: Buffer) => {
        if (answer.includes(' 503 ')) refused += 1;
        socket.pause();
      });
      return socket;
    });
    await until(() => refused >= 50);
    expect((await get(app, ben, file)).status).to.equal(200);
    for (const socket of sockets) socket.destroy();
    await app.close();
  });
});
