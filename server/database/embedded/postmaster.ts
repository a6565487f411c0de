import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupProblem } from '../../startup.ts';
import type { DatabaseAddress } from '../connect.ts';
import { probe, connectionBy } from './probe.ts';
import { openLogFile, type LogFile } from './logfile.ts';
import { findServing, removeSocketDirectory, serves, socketPrefix } from './pidfile.ts';
import { giveTo, type PostgresLayout } from './layout.ts';
import { launch } from './runner.ts';
import { settings } from './settings.ts';

export interface Postmaster {
  pid: number;
  cluster: string;
  socketDirectory: string;
  connection: DatabaseAddress;
  /** False when it was adopted. */
  ours: boolean;
}

/** How long to wait for the remains of a crashed or ending postmaster. */
const graceMs = 15_000;

/** The postmaster left by a killed Node process, once it answers; undefined if there is none. */
export async function adoptPostmaster(
  { cluster }: PostgresLayout,
  log: (line: string) => void,
): Promise<Postmaster | undefined> {
  let deadline = performance.now() + graceMs;
  for (;;) {
    const serving = await findServing(cluster);
    if (serving === undefined) return undefined;
    const answer = await probe(serving.socketDirectory, cluster);
    if (answer === 'ready') {
      log(`reusing the PostgreSQL that is already running (process ${serving.pid})`);
      return {
        ...serving,
        cluster,
        connection: connectionBy(serving.socketDirectory),
        ours: false,
      };
    }
    if (answer === 'recovering') deadline = performance.now() + graceMs;
    if (performance.now() > deadline) {
      throw new StartupProblem(
        `A PostgreSQL (process ${serving.pid}) runs on ${cluster}, but doesn’t respond. ` +
          `Stop it (kill -INT ${serving.pid}), then start Parley again.`,
      );
    }
    await sleep(20);
  }
}

/** @throws StartupProblem with PostgreSQL's own message */
export async function startPostmaster(
  place: PostgresLayout,
  log: (line: string) => void,
): Promise<Postmaster> {
  const started = performance.now();
  for (;;) {
    const output = await openLogFile(place.cluster);
    let attempt: Postmaster | undefined;
    try {
      attempt = await tryToStart(place, output, log);
    } finally {
      await output.close();
    }
    if (attempt !== undefined) return attempt;
    const words = await output.read();
    // Child processes of a killed postmaster take a moment to exit.
    const passes = /pre-existing shared memory block|lock file .* already exists/.test(words);
    if (!passes || performance.now() - started > graceMs) {
      throw new StartupProblem(
        `The embedded PostgreSQL couldn’t start with the data in ${place.cluster}: ${words.trim()}`,
      );
    }
    await sleep(250);
  }
}

/** Returns undefined if PostgreSQL exited by itself: the log file has the reason. */
async function tryToStart(
  { binaries, cluster, runner }: PostgresLayout,
  output: LogFile,
  log: (line: string) => void,
): Promise<Postmaster | undefined> {
  const socketDirectory = await makeSocketDirectory({ binaries, cluster, runner });
  const args = ['-D', cluster, '-k', socketDirectory, ...settings];
  const child = launch(runner, join(binaries, 'bin', 'postgres'), args, output.descriptor);
  const ready = await becomesReady(child, socketDirectory, cluster, log);
  if (!ready || child.pid === undefined) {
    await removeSocketDirectory(socketDirectory);
    return undefined;
  }
  const connection = connectionBy(socketDirectory);
  return { pid: child.pid, cluster, socketDirectory, connection, ours: true };
}

/** Outside of the data directory, whose path can be too long for a socket, or whose file system can lack sockets. */
async function makeSocketDirectory({ runner }: PostgresLayout): Promise<string> {
  const temporary = tmpdir().length > 60 ? '/tmp' : tmpdir();
  const directory = await mkdtemp(join(temporary, socketPrefix));
  await chmod(directory, 0o700);
  await giveTo(runner, directory);
  return directory;
}

async function becomesReady(
  child: ChildProcess,
  socketDirectory: string,
  cluster: string,
  log: (line: string) => void,
): Promise<boolean> {
  // A program that fails to start has no process id; its error event must have a listener.
  child.once('error', () => undefined);
  const lives = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const started = performance.now();
  let loggedAt = started;
  for (let attempt = 1; lives(); attempt += 1) {
    if ((await probe(socketDirectory, cluster)) === 'ready') return true;
    if (performance.now() - loggedAt > 10_000) {
      loggedAt = performance.now();
      log(`PostgreSQL is still recovering (${Math.round((loggedAt - started) / 1000)} s)`);
    }
    // A warm start takes 30 ms, a recovery seconds.
    await sleep(Math.min(5 * attempt, 200));
  }
  return false;
}

/** Fast shutdown: connections are closed and everything is written. Resolves when the process has exited. */
export async function stopPostmaster({ pid, cluster, socketDirectory }: Postmaster): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 20_000],
    // Immediate shutdown: nothing acknowledged is lost, and the next start recovers.
    ['SIGQUIT', 5_000],
  ];
  for (const [signal, waitMs] of steps) {
    const deadline = performance.now() + waitMs;
    // Checked each time, so that no other process with a reused id is signaled or waited for.
    if (await serves(pid, cluster)) process.kill(pid, signal);
    while ((await serves(pid, cluster)) && performance.now() < deadline) await sleep(10);
  }
  await removeSocketDirectory(socketDirectory);
}
