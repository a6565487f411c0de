import { open, rm, statfs } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { query, type Db } from '../../server/database/database.ts';

export interface Conditions {
  node: string;
  cores: number;
  postgres: string;
  /** Median time in milliseconds to make one page durable on that disk. */
  pageMs: number;
  /** The disk is in memory, where durability costs nothing, so that a transaction for each message looks too cheap. */
  isInMemory: boolean;
}

/** @throws Error when commits would not be durable: the figures would mean nothing */
export async function conditionsOf(db: Db): Promise<Conditions> {
  const settings = await query<{ name: string; setting: string }>(
    db,
    `select name, setting from pg_settings
     where name in ('fsync', 'synchronous_commit', 'full_page_writes', 'server_version', 'data_directory')`,
  );
  const of = (wanted: string) => settings.find(({ name }) => name === wanted)?.setting ?? '';
  for (const name of ['fsync', 'synchronous_commit', 'full_page_writes'])
    if (of(name) !== 'on') throw new Error(`${name} is ${of(name)}: commits are not durable.`);
  const directory = of('data_directory');
  return {
    node: process.version,
    cores: availableParallelism(),
    postgres: of('server_version'),
    pageMs: await makePageDurable(directory),
    isInMemory: memoryFileSystems.has((await statfs(directory)).type),
  };
}

/** Magic numbers of tmpfs and ramfs on Linux. */
const memoryFileSystems = new Set([0x01021994, 0x858458f6]);

async function makePageDurable(directory: string): Promise<number> {
  const path = join(directory, 'bench-page');
  const file = await open(path, 'w');
  const times: number[] = [];
  for (let i = 0; i < 51; i += 1) {
    const began = performance.now();
    await file.write(Buffer.alloc(8_192), 0, 8_192, 0);
    await file.datasync();
    times.push(performance.now() - began);
  }
  await file.close();
  await rm(path);
  return times.sort((a, b) => a - b)[25] ?? 0;
}

export const describe = ({ node, cores, postgres, pageMs, isInMemory }: Conditions): string =>
  `Node ${node}, PostgreSQL ${postgres}, ${cores} cores for all of it. fsync and synchronous_commit on; ` +
  (isInMemory
    ? 'but the temporary folder is memory: set TMPDIR to one on a disk.'
    : `one page made durable takes ${pageMs.toFixed(2)} ms.`);
