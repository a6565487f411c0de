import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { query, transaction } from '../../server/database/database.ts';
import { removeChunks } from '../../server/files/chunks.ts';
import { addMovedChunk, claimMoved, markMovedBack } from '../../server/files/moving-store.ts';
import type { File } from '../../shared/files.ts';
import { startApp, startPatientApp, type TestApp } from '../support/app.ts';
import { openBucket, settle, type ObjectBucket } from '../support/file-stores.ts';
import { upload } from '../support/files.ts';
import type { Person } from '../support/person.ts';
import { openProxy, type StoreProxy, type Verdict } from '../support/store-proxy.ts';
import { isBlocked } from '../support/table-lock.ts';
import { until } from '../support/time.ts';

const bytes = randomBytes(900_000);

describe('files that move back to the database', () => {
  let bucket: ObjectBucket;
  let proxy: StoreProxy;
  before(async () => {
    bucket = await openBucket();
    proxy = await openProxy(bucket);
  });
  beforeEach(() => {
    proxy.judge = () => 'forward';
  });
  after(async () => {
    proxy.close();
    await bucket.close();
  });

  const start = (keptIn: 'store' | 'database', where?: TestApp['where']) =>
    startApp({ PARLEY_FILE_MB: '10', ...proxy.settings, PARLEY_FILES_IN: keptIn }, where);

  /** A node with a file of a message in the object store. */
  async function begin(open = () => start('store')) {
    const app = await open();
    const ann = await app.person('Ann');
    const { servers } = await ann.send('server:list', {});
    const timelineId = servers[0]!.defaultChannelId;
    const file = await upload(ann, timelineId, bytes);
    const sent = await ann.send('message:send', { timelineId, files: [{ id: file.id }] });
    await settle(app);
    return { app, ann, file, messageId: sent.message.id };
  }
  type Begun = Awaited<ReturnType<typeof begin>>;

  const get = ({ url }: TestApp, { cookie }: Person, { id }: File) =>
    fetch(`${url}/files/${id}/a`, { headers: { cookie } });
  const expectWhole = async (app: TestApp, { ann, file }: Begun) => {
    const response = await get(app, ann, file);
    expect(response.status).to.equal(200);
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).to.equal(true);
  };
  const chunksIn = async ({ db }: TestApp) =>
    (await query<{ at: string }>(db, 'select at from file_chunks')).length;
  const setClaim = ({ db }: TestApp, seconds: number | null) =>
    query(db, `update files set moving_until = now() + $1 * interval '1 second'`, [seconds]);
  const secondsOfClaim = async ({ db }: TestApp) => {
    const [row] = await query<{ left: number | null }>(
      db,
      'select extract(epoch from moving_until - now())::int as left from files',
    );
    return row?.left ?? 0;
  };
  /** Removes objects whose time is over, now. */
  const untilRemoved = async (app: TestApp, object: string) => {
    await query(app.db, 'update old_objects set removable_at = now()');
    await until(async () => {
      app.pass(1_000);
      return !(await bucket.objects()).has(object);
    });
  };

  it('are whole at each moment, and are then no longer in the store', async () => {
    const begun = await begin();
    const { where } = begun.app;
    await begun.app.close();
    const nodes = [await start('database', where), await start('database', where)];
    const moving = new Set(nodes);
    const moved = nodes.map((node) => settle(node).then(() => moving.delete(node)));
    while (moving.size > 0) for (const node of nodes) await expectWhole(node, begun);
    await Promise.all(moved);
    for (const node of nodes) await expectWhole(node, begun);
    const [node] = nodes as [TestApp, TestApp];
    // Downloads that began before still read the object.
    node.pass(1_000);
    expect((await bucket.objects()).has(begun.file.id)).to.equal(true);
    await startApp({}, where).then(
      () => expect.fail('it started'),
      (error: unknown) => expect(String(error)).to.include('PARLEY_FILES'),
    );
    await untilRemoved(node, begun.file.id);
    for (const one of nodes) await one.close();
    const alone = await startApp({}, where);
    await expectWhole(alone, begun);
    await alone.close();
  });

  it('get a new object if they move to the store again, so that removing the old one is safe', async () => {
    const begun = await begin();
    const { app, file } = begun;
    const back = await start('database', app.where);
    app.hold();
    await settle(back);
    await back.close();
    await settle(app);
    expect(await chunksIn(app)).to.equal(0);
    await untilRemoved(app, file.id);
    await expectWhole(app, begun);
    expect([...(await bucket.sizes(app.db)).values()]).to.include(bytes.length);
    await begun.ann.send('message:delete', { messageId: begun.messageId });
    await until(async () => {
      app.pass(1_000);
      return (await query(app.db, 'select 1 from files')).length === 0;
    });
    expect([...(await bucket.objects()).values()]).not.to.include(bytes.length);
    await app.close();
  });

  /** Leaves the file as a node does that ends in the middle of the move back. */
  async function endHalfWay(app: TestApp, { id }: File) {
    // Other bytes, and not at the limits of today's chunks.
    await query(app.db, 'insert into file_chunks values ($1, 7, $2)', [id, Buffer.alloc(1_000)]);
    await setClaim(app, -1);
  }

  it('leave no chunks if the node ended half-way and the setting is changed again', async () => {
    const begun = await begin();
    begun.app.hold();
    await endHalfWay(begun.app, begun.file);
    await until(async () => {
      begun.app.pass(1_000);
      return (await chunksIn(begun.app)) === 0;
    });
    await expectWhole(begun.app, begun);
    await begun.app.close();
  });

  it('get no chunk from a node whose move was undone by another one', async () => {
    const { app, file } = await begin();
    app.hold();
    const chunk = { at: 0, bytes: bytes.subarray(0, 1_000) };
    const moving = { id: file.id, object: file.id, size: bytes.length };
    await setClaim(app, 300);
    expect(await addMovedChunk(app.db, moving, chunk, -1)).to.equal(true);
    await until(async () => {
      app.pass(1_000);
      return (await chunksIn(app)) === 0;
    });
    expect(await addMovedChunk(app.db, moving, chunk, 300)).to.equal(false);
    expect(await chunksIn(app)).to.equal(0);
    await app.close();
  });

  it('stay in the store if another node begins the move again when the first one ends it', async () => {
    const begun = await begin(() => startPatientApp(proxy.settings));
    const { app, file } = begun;
    app.hold();
    const moving = { id: file.id, object: file.id, size: bytes.length };
    await setClaim(app, 300);
    await addMovedChunk(app.db, moving, { at: 0, bytes }, -1);
    const ending = await transaction(app.db, async (within) => {
      await claimMoved(within, 300);
      await removeChunks(within, file.id);
      const ended = transaction(app.db, (own) => markMovedBack(own, moving, 900));
      await until(() => isBlocked(app.db));
      return { ended };
    });
    await ending.ended;
    await expectWhole(app, begun);
    await app.close();
  });

  it('are moved by another node if the first one ended half-way', async () => {
    const begun = await begin();
    begun.app.hold();
    await endHalfWay(begun.app, begun.file);
    const back = await start('database', begun.app.where);
    await settle(back);
    await expectWhole(back, begun);
    await back.close();
    await begun.app.close();
  });

  it('leave nothing in either place if they are deleted after the node ended half-way', async () => {
    const { app, ann, file, messageId } = await begin();
    app.hold();
    await endHalfWay(app, file);
    await ann.send('message:delete', { messageId });
    await until(async () => {
      app.pass(1_000);
      return !(await bucket.sizes(app.db)).has(file.id);
    });
    await app.close();
  });

  it('leave nothing in either place if they are deleted during the move', async () => {
    const begun = await begin();
    const { app, ann, file } = begun;
    const back = await start('database', app.where);
    app.hold();
    let isDeleted = false;
    proxy.judge = async (name): Promise<Verdict> => {
      if (name !== 'read' || isDeleted) return 'forward';
      isDeleted = true;
      await ann.send('message:delete', { messageId: begun.messageId });
      await setClaim(app, -1);
      await until(async () => {
        app.pass(1_000);
        return (await query(app.db, 'select 1 from files')).length === 0;
      });
      return 'forward';
    };
    await until(() => {
      back.pass(1_000);
      return isDeleted;
    });
    await until(async () => (await query(app.db, 'select 1 from files')).length === 0);
    // Closing waits for the move.
    await back.close();
    expect((await bucket.sizes(app.db)).has(file.id)).to.equal(false);
    await app.close();
  });

  it('stay in the store while the end of an object is missing, and the move is tried again later', async () => {
    const begun = await begin();
    const { app, file } = begun;
    app.hold();
    await bucket.write(file.id, bytes.subarray(0, 1_000));
    const back = await start('database', app.where);
    await until(async () => {
      back.pass(1_000);
      return (await secondsOfClaim(app)) > 3_000;
    });
    expect((await query(app.db, 'select 1 from files where moved_at is null')).length).to.equal(0);
    await bucket.write(file.id, bytes);
    await setClaim(app, null);
    await settle(back);
    await expectWhole(back, begun);
    await back.close();
    await app.close();
  });

  it('keep no node from closing while the store is slow, and stay in the store', async () => {
    const begun = await begin();
    begun.app.hold();
    let isAsked = false;
    proxy.judge = (name) => {
      if (name !== 'read') return 'forward';
      isAsked = true;
      return new Promise(() => undefined);
    };
    const back = await start('database', begun.app.where);
    await until(() => {
      back.pass(1_000);
      return isAsked;
    });
    await back.close();
    proxy.judge = () => 'forward';
    await expectWhole(begun.app, begun);
    await begun.app.close();
  });
});

describe('files that a node sends to the store', () => {
  let bucket: ObjectBucket;
  let proxy: StoreProxy;
  before(async () => {
    bucket = await openBucket();
    proxy = await openProxy(bucket);
  });
  after(async () => {
    proxy.close();
    await bucket.close();
  });

  async function begin(content = bytes) {
    const app = await startApp({ PARLEY_FILE_MB: '25', ...proxy.settings });
    const ann = await app.person('Ann');
    const { servers } = await ann.send('server:list', {});
    const file = await upload(ann, servers[0]!.defaultChannelId, content);
    return { app, ann, file };
  }

  for (const answer of ['forward', 'lose the answer'] as const)
    it(`are in no place if they are deleted in the meantime (${answer})`, async () => {
      const { app, ann, file } = await begin();
      let isDeleted = false;
      proxy.judge = async (name): Promise<Verdict> => {
        if (name !== 'write') return 'forward';
        if (!isDeleted) {
          isDeleted = true;
          // The sweep of another node deletes the file.
          await ann.send('file:delete', { fileId: file.id });
          await query(app.db, 'delete from file_chunks');
          await query(app.db, 'delete from files');
        }
        return answer;
      };
      await until(() => {
        app.pass(1_000);
        return isDeleted;
      });
      await until(async () => {
        app.pass(1_000);
        const noted = await query(app.db, 'select 1 from old_objects');
        return proxy.seen.includes('remove') && noted.length === 0;
      });
      expect((await bucket.objects()).has(file.id)).to.equal(false);
      proxy.seen.length = 0;
      await app.close();
    });

  it('are not marked as moved by a node if others moved them there and back in the meantime', async () => {
    const { app, ann, file } = await begin();
    let isBack = false;
    proxy.judge = async (name): Promise<Verdict> => {
      if (name === 'write' && !isBack) {
        isBack = true;
        await query(app.db, 'update files set object = gen_random_uuid(), moving_until = null');
      }
      return 'forward';
    };
    await settle(app);
    await until(async () => {
      app.pass(1_000);
      return !(await bucket.objects()).has(file.id);
    });
    const response = await fetch(`${app.url}/files/${file.id}/a`, {
      headers: { cookie: ann.cookie },
    });
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).to.equal(true);
    await app.close();
  });

  it('are claimed again with each part', async () => {
    const { app, ann, file } = await begin(randomBytes(25_000_000));
    const claim = (seconds: number) =>
      query(app.db, `update files set moving_until = now() + $1 * interval '1 second'`, [seconds]);
    let seconds = 0;
    proxy.judge = async (name): Promise<Verdict> => {
      if (name === 'part 1') await claim(10);
      if (name === 'complete') {
        const [row] = await query<{ left: number }>(
          app.db,
          'select extract(epoch from moving_until - now())::int as left from files',
        );
        seconds = row!.left;
      }
      return 'forward';
    };
    await settle(app);
    expect(seconds).to.be.above(100);
    expect((await bucket.objects()).get(file.id)).to.equal(25_000_000);
    const response = await fetch(`${app.url}/files/${file.id}/a`, {
      headers: { cookie: ann.cookie },
    });
    expect((await response.arrayBuffer()).byteLength).to.equal(25_000_000);
    await app.close();
  });
});
