import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Results } from './rounds.ts';
import { gatherCrowd } from './load-process.ts';
import type { BenchPlace } from './place.ts';

/** The first connections make the server load and compile code that all of them use. */
const first = 200;

/** Runs once, before all other measurements, because a process seldom returns memory. */
export async function measureIdle(place: BenchPlace, connections: number): Promise<Results> {
  const crowd = gatherCrowd(place);
  await crowd.enter(first);
  const before = await settled();
  await crowd.enter(first + connections);
  const after = await settled();
  await crowd.leave();
  const each = (what: keyof NodeJS.MemoryUsage) =>
    (after[what] - before[what]) / connections / 1_024;
  const one = { heading: `${connections} idle connections`, name: 'memory for each' };
  const figures = { 'kB RSS': each('rss'), 'kB heap': each('heapUsed') };
  return new Map([[{ ...one, measure: async () => figures }, [figures]]]);
}

async function settled(): Promise<NodeJS.MemoryUsage> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let i = 0; i < 5; i += 1) {
    collect();
    await sleep(400);
  }
  return process.memoryUsage();
}
