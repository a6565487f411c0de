/** Two nodes and their database, killed again and again amid uploads: what a message names is whole, and all else goes. */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import { connect, query } from '../server/database/database.ts';
import { Child } from '../scripts/cluster/child.ts';
import { builtServer } from '../scripts/cluster/cluster.ts';
import { freePort, openStores, type Stores } from '../scripts/cluster/place.ts';
import { connectAs, enterAs, type Person } from './support/person.ts';
import { until } from './support/time.ts';

/** What its uploader did with it last, and knows to be so. */
type Fate = 'begun' | 'finished' | 'named' | 'deleted';

interface Sent {
  id: string;
  bytes: Buffer;
  fate: Fate;
}

describe('files of nodes and a database that are killed', () => {
  let directory: string;
  let stores: Stores;
  let urls: string[];
  let nodes: Child[];
  const sent: Sent[] = [];
  let chunks = 0;
  /** Uploads that went on elsewhere from where they had been cut off. */
  let wentOn = 0;
  let isOver = false;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'parley-killed-'));
    await chmod(directory, 0o755);
    stores = await openStores(join(directory, 'data'), undefined, () => undefined);
    nodes = [];
    urls = [];
    for (let i = 0; i < 2; i += 1) {
      const port = await freePort();
      nodes.push(startNode(port));
      urls.push(`http://127.0.0.1:${port}`);
      await nodes[i]?.greeting();
    }
  });
  after(async () => {
    isOver = true;
    await Promise.all(nodes.map((node) => node.end()));
    await stores.close();
    await rm(directory, { recursive: true, force: true });
  });

  function startNode(port: number): Child {
    const env = {
      ...{ PORT: String(port), HOST: '127.0.0.1', LOG_LEVEL: 'silent' },
      ...{ DATABASE_URL: stores.databaseUrl, REDIS_URL: stores.redisUrl },
      ...{ PARLEY_RATE_SCALE: '100000', PARLEY_PASSWORD_COST: '4' },
    };
    const program = { name: 'node', command: process.execPath, args: [builtServer], env };
    return new Child(program, () => undefined);
  }

  const onDatabase = async <T extends object>(sql: string): Promise<T[]> => {
    const sequelize = connect(stores.databaseUrl, 1);
    try {
      return await query<T>({ sequelize }, sql);
    } finally {
      await sequelize.close();
    }
  };

  const kill = {
    async node(i: number) {
      const { endings } = nodes[i]!;
      const before = endings.length;
      nodes[i]!.signal('SIGKILL');
      await until(() => endings.length > before);
    },
    /** One of its processes killed, it ends them all, and recovers from what is on disk. */
    async database() {
      const [backend] = await onDatabase<{ pid: number }>(
        `select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`,
      );
      process.kill(backend!.pid, 'SIGKILL');
    },
  };

  /** Does it on one node, and if that fails on the other, for as long as it takes. */
  async function persist<T>(
    cookie: string,
    first: number,
    work: (person: Person, isElsewhere: boolean) => Promise<T>,
  ): Promise<T> {
    for (let turn = 0; ; turn += 1) {
      let person: Person | undefined;
      try {
        person = await connectAs(urls[(first + turn) % urls.length]!, cookie);
        return await work(person, turn % 2 === 1);
      } catch (error) {
        if (isOver) throw error;
        await sleep(50);
      } finally {
        person?.close();
      }
    }
  }

  /** Sends all that is not there yet, four chunks under way. */
  async function send(person: Person, file: Sent, timelineId: string, isElsewhere: boolean) {
    const { id, bytes } = file;
    const begin = { id, timelineId, name: 'notes.bin', size: bytes.length };
    const { offset, chunkBytes } = await person.send('file:begin', begin);
    if (isElsewhere && offset > 0 && offset < bytes.length) wentOn += 1;
    let next = offset;
    const line = async () => {
      for (let at = next; at < bytes.length; at = next) {
        next = at + chunkBytes;
        const piece = bytes.subarray(at, next);
        await person.send('file:chunk', { fileId: id, offset: at, bytes: piece });
        chunks += 1;
      }
    };
    await Promise.all(Array.from({ length: 4 }, line));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    await person.send('file:finish', { fileId: id, sha256 });
  }

  /** One file after the other, some of each fate: a third is left, a third named, a third named and deleted. */
  async function keepUploading(
    cookie: string,
    timelineId: string,
    first: number,
    stopped: () => boolean,
  ) {
    for (let i = 0; i < 3 || !stopped(); i += 1) {
      const file: Sent = { id: v7(), bytes: randomBytes(700_000), fate: 'begun' };
      sent.push(file);
      await persist(cookie, first, (person, isElsewhere) =>
        send(person, file, timelineId, isElsewhere),
      );
      file.fate = 'finished';
      if (i % 3 === 0) continue;
      const messageId = v7();
      await persist(cookie, first, (person) =>
        person.send('message:send', { id: messageId, timelineId, files: [{ id: file.id }] }),
      );
      file.fate = 'named';
      if (i % 3 === 1) continue;
      await persist(cookie, first, (person) => person.send('message:delete', { messageId }));
      file.fate = 'deleted';
    }
  }

  const read = async (cookie: string, { id }: Sent) => {
    const answers = await Promise.all(
      urls.map((url) => fetch(`${url}/files/${id}/notes.bin`, { headers: { cookie } })),
    );
    return Promise.all(
      answers.map(async (answer) => ({
        status: answer.status,
        bytes: Buffer.from(await answer.arrayBuffer()),
      })),
    );
  };
  const isWhole = async (cookie: string, file: Sent) => {
    for (const { status, bytes } of await read(cookie, file)) {
      expect(status).to.equal(200);
      expect(bytes.equals(file.bytes), 'whole').to.equal(true);
    }
  };
  const allAnswer = async () => {
    const answers = urls.map((url) => fetch(`${url}/readyz`).catch(() => undefined));
    return (await Promise.all(answers)).every((answer) => answer?.ok);
  };
  const of = (fate: Fate) => sent.filter((file) => file.fate === fate);
  const stored = async () =>
    new Set((await onDatabase<{ id: string }>('select id from files')).map(({ id }) => id));

  it('are whole where a message names them, and gone where none does', async function () {
    this.timeout(300_000);
    const ann = await enterAs(urls[0]!, 'register', {
      username: 'ann',
      password: 'a long sentence',
    });
    const { server } = await ann.send('server:create', { name: 'Place' });
    const { cookie } = ann;
    let isStopped = false;
    const uploads = Promise.all(
      [0, 1, 0, 1].map((first) =>
        keepUploading(cookie, server.defaultChannelId, first, () => isStopped),
      ),
    );
    // Whatever fails first is told.
    uploads.catch(() => undefined);
    const strikes = [
      () => kill.node(0),
      () => kill.database(),
      () => kill.node(1),
      () => Promise.all([kill.database(), kill.node(0)]),
      () => Promise.all([kill.node(0), kill.node(1)]),
    ];
    for (const strike of strikes) {
      // However long a node takes to come back.
      for (const enough = chunks + 30; chunks < enough;) await sleep(20);
      await until(allAnswer);
      await strike();
    }
    isStopped = true;
    await uploads;
    await until(allAnswer);
    expect(wentOn, 'went on elsewhere').to.be.above(0);
    expect(of('begun')).to.be.empty;

    for (const file of [...of('named'), ...of('finished')]) await isWhole(cookie, file);
    await until(async () => {
      const left = await stored();
      return of('deleted').every(({ id }) => !left.has(id));
    });
    for (const file of of('deleted'))
      for (const { status } of await read(cookie, file)) expect(status).to.equal(404);

    await onDatabase(`update files set created_at = now() - interval '23 hours'`);
    // Whatever goes now is not counted as gone after a day.
    const kept = await stored();
    expect([...of('named'), ...of('finished')].every(({ id }) => kept.has(id))).to.equal(true);
    await onDatabase(`update files set created_at = now() - interval '25 hours'`);
    await until(async () => {
      const left = await stored();
      return of('finished').every(({ id }) => !left.has(id));
    });
    for (const file of of('named')) await isWhole(cookie, file);
    const [count] = await onDatabase<Record<string, number>>(
      `select (select count(*) from file_chunks where file_id not in (select id from files))::int as lost,
         (select bytes from file_usage)::int as used, (select sum(size) from files)::int as size,
         (select sum(length(bytes)) from file_chunks)::int as bytes`,
    );
    const size = of('named').reduce((sum, { bytes }) => sum + bytes.length, 0);
    expect(count).to.deep.equal({ lost: 0, used: size, size, bytes: size });
    ann.close();
  });
});
