/** Where a law must hold: on one node by itself, and on two that Redis joins. */
import type { Connection } from '../../server/database/database.ts';
import { startApp, type TestApp } from './app.ts';
import { connectAs, type Person } from './person.ts';
import { freshPrefix, inside, sharedRedis } from './redis.ts';

export interface World {
  nodes: [TestApp, TestApp];
  /** Somebody new; each on another node than the one before. */
  person(name?: string): Promise<Person>;
  guest(name?: string): Promise<Person>;
  /** The same person on the other node; alone, on another socket. */
  elsewhere(person: Person): Promise<Person>;
  /** Cuts one node's subscriber off, again and again, until `work` is done. Alone there is none. */
  deafen<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The same tests in each world. */
export function describeWorlds(
  law: string,
  tests: (world: () => World) => void,
  timeout = 60_000,
): void {
  for (const [name, open] of [
    ['alone', alone],
    ['on two nodes', joined],
  ] as const)
    describe(`${law}, ${name}`, function () {
      this.timeout(timeout);
      let world: World;
      before(async () => {
        world = await open();
      });
      after(() => world.close());
      tests(() => world);
    });
}

export async function alone(): Promise<World> {
  const node = await startApp();
  return worldOf(node, node, (work) => work());
}

export async function joined(): Promise<World> {
  const { url } = await sharedRedis();
  const settings = { REDIS_URL: url, PARLEY_REDIS_PREFIX: freshPrefix() };
  const here = await startApp(settings);
  const there = await startApp(settings, here.where);
  return worldOf(here, there, (work) => cuttingOff(url, work));
}

/** Two nodes on one database that never hear each other: everything that one tells the other is lost. */
export async function deaf(): Promise<World> {
  const here = await startApp();
  const there = await startApp({}, here.where satisfies Connection);
  return worldOf(here, there, (work) => work());
}

function worldOf(here: TestApp, there: TestApp, deafen: World['deafen']): World {
  let turn = 0;
  const next = () => ((turn += 1) % 2 === 1 ? here : there);
  return {
    nodes: [here, there],
    person: (name) => next().person(name),
    guest: (name) => next().guest(name),
    elsewhere: ({ url, cookie }) => connectAs(url === here.url ? there.url : here.url, cookie),
    deafen,
    async close() {
      await there.close();
      await here.close();
    },
  };
}

async function cuttingOff<T>(url: string, work: () => Promise<T>): Promise<T> {
  return inside(url, async (redis) => {
    const cut = async () => {
      const list = String(await redis.call('CLIENT', 'LIST'));
      const ears = list.split('\n').filter((line) => line.includes('name=parley-subscriber'));
      const id = /^id=(\d+)/.exec(ears.at(-1) ?? '')?.[1];
      if (id !== undefined) await redis.call('CLIENT', 'KILL', 'ID', id);
    };
    await cut();
    const cutting = setInterval(() => void cut().catch(() => undefined), 20);
    return work().finally(() => clearInterval(cutting));
  });
}
