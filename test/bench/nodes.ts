import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Db } from '../../server/database/database.ts';
import { Child } from '../../scripts/cluster/child.ts';
import { builtServer } from '../../scripts/cluster/cluster.ts';
import { freePort, openStores, type Stores } from '../../scripts/cluster/place.ts';
import { connect } from '../../server/database/connect.ts';
import type { Act, Figures } from './case.ts';
import { postmasterOf, used, usedByFamily } from './cpu.ts';
import { gatherCrowd, type Audience } from './load-process.ts';
import { lobbyOf } from './place.ts';

const members = 200;
const perSecond = 50;

const nodesHeading = `nodes: ${members} members, ${perSecond} messages a second`;
export const nodesLegend =
  'Nodes: real processes with a redis-server and a PostgreSQL between them, the same members spread over them.\n' +
  'CPU is that of all nodes for a delivery, and of Redis and PostgreSQL for a message; on Linux only.';

/** Each case has its own nodes and members, so the crowd of the act is empty. */
export const onSeveralNodes: Act = {
  people: 0,
  channels: [],
  casesWith: () =>
    [1, 2, 3, 4].map((count) => ({
      heading: nodesHeading,
      name: count === 1 ? 'one node' : `${count} nodes`,
      measure: (_, seconds) =>
        onNodes(count, (urls, stores, nodes) => converse(urls, stores, nodes, seconds * 3)),
    })),
};

async function onNodes(
  count: number,
  work: (urls: string[], stores: Stores, nodes: Child[]) => Promise<Figures>,
): Promise<Figures> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-bench-'));
  await chmod(directory, 0o755);
  const stores = await openStores(join(directory, 'data'), undefined, () => undefined);
  const nodes: Child[] = [];
  const urls: string[] = [];
  try {
    for (let i = 0; i < count; i += 1) {
      const port = await freePort();
      const node = startNode(port, stores);
      nodes.push(node);
      await node.greeting();
      urls.push(`http://127.0.0.1:${port}`);
    }
    return await work(urls, stores, nodes);
  } finally {
    await Promise.all(nodes.map((node) => node.end()));
    await stores.close();
    await rm(directory, { recursive: true, force: true });
  }
}

function startNode(port: number, { databaseUrl, redisUrl }: Stores): Child {
  const env = {
    PORT: String(port),
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    LOG_LEVEL: 'error',
    PARLEY_RATE_SCALE: '1000000',
  };
  const program = { name: 'node', command: process.execPath, args: [builtServer], env };
  return new Child(program, () => undefined);
}

async function converse(
  urls: string[],
  { databaseUrl, redis }: Stores,
  nodes: Child[],
  seconds: number,
): Promise<Figures> {
  const sequelize = connect(databaseUrl, 1);
  const { timelineId, postmaster } = await findLobby({ sequelize });
  const crowd = gatherCrowd({ urls, timelineIds: [timelineId] });
  try {
    await crowd.enter(members, [timelineId]);
    await crowd.converse({ timelineId, perSecond }, 2);
    const spent = async () => ({
      nodes: await used(nodes.map(({ pid }) => pid)),
      redis: await used([redis.pid]),
      postgres: await usedByFamily(postmaster),
    });
    return await measure(crowd, { timelineId, seconds, spent });
  } finally {
    await crowd.leave();
    await sequelize.close();
  }
}

type Spent = Record<'nodes' | 'redis' | 'postgres', number>;

async function measure(
  crowd: Audience,
  {
    timelineId,
    seconds,
    spent,
  }: { timelineId: string; seconds: number; spent: () => Promise<Spent> },
): Promise<Figures> {
  const before = await spent();
  const began = performance.now();
  const talk = await crowd.converse({ timelineId, perSecond }, seconds);
  const took = (performance.now() - began) / 1_000;
  const after = await spent();
  const { received = 0 } = talk;
  const each = (what: keyof Spent, count: number) => (after[what] - before[what]) / count;
  return {
    'received/s': received / took,
    'CPU µs each': each('nodes', received),
    'p50 ms': talk['p50 ms'] ?? 0,
    'p99 ms': talk['p99 ms'] ?? 0,
    'Redis µs': each('redis', received / members),
    'PG µs': each('postgres', received / members),
  };
}

/** The channel that all are in, and the process that has started all others of PostgreSQL. */
const findLobby = async (db: Db) => ({
  timelineId: (await lobbyOf(db)).channelId,
  postmaster: await postmasterOf(db),
});
