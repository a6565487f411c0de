/** Topologies in which a law must hold: one node alone, two nodes joined by Redis, and some with faults. */
import { join } from 'node:path';
import type { Cluster } from '../../server/cluster/cluster.ts';
import { budget } from '../../server/realtime/fitting.ts';
import { NodeMessage } from '../../server/realtime/node-messages.ts';
import type { DatabaseAddress } from '../../server/database/connect.ts';
import { startApp, type TestApp } from './app.ts';
import type { Random } from './generate.ts';
import { atLength } from './length.ts';
import { connectAs, type Person } from './person.ts';
import { startProxy } from './proxy.ts';
import { freshPrefix, withRedis, sharedRedis } from './redis.ts';
import { lawRandom } from './seed.ts';

export interface Topology {
  nodes: [TestApp, TestApp];
  /** A new person, on another node than the one before. */
  person(name?: string): Promise<Person>;
  guest(name?: string): Promise<Person>;
  /** The same person on the other node, or on another socket where there is only one. */
  elsewhere(person: Person): Promise<Person>;
  /** Lets this many milliseconds pass at once, on both. */
  pass(ms: number): void;
  close(): Promise<void>;
}

type Topologies = Record<string, () => Promise<Topology>>;

export function describeTopologies(
  law: string,
  tests: (topology: () => Topology) => void,
  topologies: Topologies = usualTopologies,
): void {
  for (const [name, open] of Object.entries(topologies))
    describe(`${law}, ${name}`, () => {
      let topology: Topology;
      before(async () => {
        topology = await open();
      });
      after(() => topology.close());
      tests(() => topology);
    });
}

export async function alone(): Promise<Topology> {
  const node = await startApp();
  return topologyOf(node, node);
}

export const joined = async (): Promise<Topology> => joinedBy((await sharedRedis()).url);

/** Two nodes on which every server is large from its fourth member on. */
export const largeServers = async (): Promise<Topology> =>
  joinedBy((await sharedRedis()).url, { PARLEY_LARGE_SERVER: '3' });

/** Two nodes whose answers have only a row or two of a room. */
export async function parted(): Promise<Topology> {
  const topology = await joined();
  const { partBytes } = budget;
  budget.partBytes = 600;
  return {
    ...topology,
    async close() {
      budget.partBytes = partBytes;
      await topology.close();
    },
  };
}

export async function joinedBy(url: string, more: Record<string, string> = {}): Promise<Topology> {
  const settings = { ...togetherBy(url), ...more };
  const here = await startApp(settings);
  const there = await startApp(settings, here.where);
  return topologyOf(here, there);
}

const togetherBy = (url: string) => ({ REDIS_URL: url, PARLEY_REDIS_PREFIX: freshPrefix() });

/** In `npm test`, the other tests run on one node alone. */
export const usualTopologies: Topologies = atLength<Topologies>(
  { 'on two nodes': joined },
  { alone, 'on two nodes': joined },
);

/** Two nodes between which messages are lost, delayed, doubled and reordered. */
export async function unreliable(): Promise<Topology> {
  const topology = await joined();
  for (const { node } of topology.nodes) jumble(node.cluster, lawRandom());
  return topology;
}

export const allTopologies: Topologies = {
  ...usualTopologies,
  'on two nodes that mishear': unreliable,
};

function jumble(cluster: Cluster, random: Random): void {
  const send = cluster.broadcast.bind(cluster);
  cluster.broadcast = (message) => {
    const times = random.pick([0, 1, 1, 1, 1, 1, 1, 1, 1, 2]);
    for (let i = 0; i < times; i += 1)
      setTimeout(() => send(message), random.pick([0, 0, 5, 20, 80, 400])).unref();
  };
}

/** Holds back what the first node broadcasts during `work`. Returns functions that deliver each broadcast. */
export async function keepingBack(
  { nodes: [{ node }] }: Topology,
  work: () => Promise<void>,
): Promise<(() => void)[]> {
  const { cluster } = node;
  const send = cluster.broadcast.bind(cluster);
  const kept: (() => void)[] = [];
  cluster.broadcast = (message) => {
    if (NodeMessage.safeParse(message).data?.kind === 'news') kept.push(() => send(message));
    else send(message);
  };
  await work().finally(() => (cluster.broadcast = send));
  return kept;
}

export interface FarTopology extends Topology {
  /** Delays the second node's connection to the database, in milliseconds each way. */
  slow(ms: number): void;
}

/** Two nodes, the second of which can be far from the database, so that its reads are outdated. */
export const far = async (): Promise<FarTopology> => farWith(togetherBy((await sharedRedis()).url));

/** `far`, without any messages between the nodes. */
export const farAndPartitioned = (): Promise<FarTopology> => farWith({});

async function farWith(settings: Record<string, string>): Promise<FarTopology> {
  const here = await startApp(settings);
  const wire = await startProxy({ path: join(here.where.host, '.s.PGSQL.5432') });
  const there = await startApp(settings, { ...here.where, host: '127.0.0.1', port: wire.port });
  const topology = topologyOf(here, there);
  return {
    ...topology,
    slow: (ms) => wire.slow(ms),
    async close() {
      wire.slow(0);
      await topology.close();
      wire.close();
    },
  };
}

/** Two nodes on one database, without any messages between them. */
export async function partitioned(): Promise<Topology> {
  const here = await startApp();
  const there = await startApp({}, here.where satisfies DatabaseAddress);
  return topologyOf(here, there);
}

function topologyOf(here: TestApp, there: TestApp): Topology {
  let turn = 0;
  const next = () => ((turn += 1) % 2 === 1 ? here : there);
  return {
    nodes: [here, there],
    person: (name) => next().person(name),
    guest: (name) => next().guest(name),
    elsewhere: ({ url, cookie }) => connectAs(url === here.url ? there.url : here.url, cookie),
    pass: (ms) => new Set([here, there]).forEach((node) => node.pass(ms)),
    async close() {
      await there.close();
      await here.close();
    },
  };
}

/** Disconnects one node's subscriber repeatedly until `work` is done. Needs `ownRedis`: others refuse CLIENT KILL. */
export async function cuttingOff<T>(url: string, work: () => Promise<T>): Promise<T> {
  return withRedis(url, async (redis) => {
    const cut = async () => {
      const list = String(await redis.call('CLIENT', 'LIST'));
      const subscribers = list
        .split('\n')
        .filter((line) => line.includes('name=parley-subscriber'));
      const id = /^id=(\d+)/.exec(subscribers.at(-1) ?? '')?.[1];
      if (id !== undefined) await redis.call('CLIENT', 'KILL', 'ID', id);
    };
    await cut();
    const cutting = setInterval(() => void cut().catch(() => undefined), 20);
    return work().finally(() => clearInterval(cutting));
  });
}
