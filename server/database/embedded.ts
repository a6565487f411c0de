/**
 * The PostgreSQL that Parley includes: binaries from npm, one cluster in the data directory, one private Unix socket,
 * no TCP. It is a process of its own and outlives a Node process that is killed; the next one adopts it.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupProblem } from '../startup.ts';
import { prepareCluster } from './embedded/cluster.ts';
import { holdCluster, isHeld } from './embedded/directory-lock.ts';
import { chooseLayout } from './embedded/layout.ts';
import { adoptPostmaster, startPostmaster, stopPostmaster } from './embedded/postmaster.ts';
import type { DatabaseAddress } from './connect.ts';

export interface Embedded {
  connection: DatabaseAddress;
  /** Stops PostgreSQL. Close your own connections first. */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL, or adopts the one that a killed process left behind. A second process waits 15 seconds for the
 * first to end.
 * @throws StartupProblem
 */
export async function startEmbedded(
  dataDirectory: string,
  log: (line: string) => void = () => undefined,
): Promise<Embedded> {
  const directory = resolve(dataDirectory);
  await openDataDirectory(directory);
  const place = await chooseLayout(directory, log);
  await prepareCluster(place, log);
  const postmaster = (await adoptPostmaster(place, log)) ?? (await startPostmaster(place, log));
  try {
    const lock = await holdCluster(postmaster.connection, log);
    return {
      connection: postmaster.connection,
      async stop() {
        await lock.release();
        await stopPostmaster(postmaster);
      },
    };
  } catch (error) {
    // An adopted postmaster can belong to another process, so it is left running. One started here must not stay.
    if (postmaster.ours) await stopPostmaster(postmaster);
    throw error;
  }
}

/** For a short task: attaches to the PostgreSQL that another process runs here, or starts it until `stop`. */
export async function attachEmbedded(
  dataDirectory: string,
  log: (line: string) => void,
): Promise<Embedded> {
  const place = await chooseLayout(resolve(dataDirectory), log);
  const running = await adoptPostmaster(place, log);
  if (running !== undefined && (await isHeld(running.connection)))
    return { connection: running.connection, stop: () => Promise.resolve() };
  return startEmbedded(dataDirectory, log);
}

async function openDataDirectory(directory: string): Promise<void> {
  const trial = join(directory, `.writable-${process.pid}`);
  try {
    await mkdir(directory, { recursive: true });
    await (await open(trial, 'w')).close();
    await rm(trial);
  } catch (error) {
    throw new StartupProblem(
      `The data directory ${directory} isn’t writable (${(error as Error).message}). ` +
        'Make the user that runs Parley its owner, or choose another directory with PARLEY_DATA.',
    );
  }
}
