/** The postmaster: adopted if one serves already, started if not, stopped at the end. */
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartupProblem } from '../../node/startup.ts';
import type { DatabaseAddress } from '../database.ts';
import { ask, connectionBy } from './answer.ts';
import { openLogFile, type LogFile } from './logfile.ts';
import { findServing, removeSocketDirectory, serves, socketPrefix } from './pidfile.ts';
import { giveTo, type PostgresLayout } from './place.ts';
import { launch } from './runner.ts';
import { settings } from './settings.ts';

export interface Postmaster {
  pid: number;
  cluster: string;
  socketDirectory: string;
  connection: DatabaseAddress;
  /** Started by this process, not adopted. */
  ours: boolean;
}

/** How long what is left of a crash, or is just ending, may be in the way. */
const patienceMs = 15_000;

/** The postmaster that a killed Node left behind, once it answers; undefined if there is none. */
export async function adoptPostmaster(
  { cluster }: PostgresLayout,
  log: (line: string) => void,
): Promise<Postmaster | undefined> {
  let deadline = performance.now() + patienceMs;
  for (;;) {
    const serving = await findServing(cluster);
    if (serving === undefined) return undefined;
    const answer = await ask(serving.socketDirectory, cluster);
    if (answer === 'ready') {
      log(`adopted the PostgreSQL that runs already (process ${serving.pid})`);
      return {
        ...serving,
        cluster,
        connection: connectionBy(serving.socketDirectory),
        ours: false,
      };
    }
    if (answer === 'recovering') deadline = performance.now() + patienceMs;
    if (performance.now() > deadline) {
      throw new StartupProblem(
        `A PostgreSQL (process ${serving.pid}) serves ${cluster}, but doesn’t answer. ` +
          `End it (kill -INT ${serving.pid}) and start again.`,
      );
    }
    await sleep(20);
  }
}

/** @throws StartupProblem with PostgreSQL's own words */
export async function startPostmaster(
  place: PostgresLayout,
  log: (line: string) => void,
): Promise<Postmaster> {
  const started = performance.now();
  for (;;) {
    const output = await openLogFile(place.cluster);
    const attempt = await tryToStart(place, output, log).finally(() => output.close());
    if (attempt !== undefined) return attempt;
    const words = await output.read();
    // Children of a killed postmaster take a moment to notice.
    const passes = /pre-existing shared memory block|lock file .* already exists/.test(words);
    if (!passes || performance.now() - started > patienceMs) {
      throw new StartupProblem(
        `The embedded PostgreSQL didn’t start on ${place.cluster}: ${words.trim()}`,
      );
    }
    await sleep(250);
  }
}

/** Undefined if it ended by itself: why stands in the log file. */
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

/** Not in the data directory, whose path may be too long for a socket, or on a disk that knows no sockets. */
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
  // A program that cannot be started has no process number; the event only must not be unheard.
  child.once('error', () => undefined);
  const lives = () =>
    child.pid !== undefined && child.exitCode === null && child.signalCode === null;
  const started = performance.now();
  let told = started;
  for (let attempt = 1; lives(); attempt += 1) {
    if ((await ask(socketDirectory, cluster)) === 'ready') return true;
    if (performance.now() - told > 10_000) {
      told = performance.now();
      log(`PostgreSQL is still recovering (${Math.round((told - started) / 1000)} s)`);
    }
    // A warm start takes 30 ms, a recovery seconds.
    await sleep(Math.min(5 * attempt, 200));
  }
  return false;
}

/** Fast shutdown: connections are cut, everything is written. Returns when the process is gone. */
export async function stopPostmaster({ pid, cluster, socketDirectory }: Postmaster): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', 20_000],
    // At once: nothing acknowledged is lost, the next start recovers.
    ['SIGQUIT', 5_000],
  ];
  for (const [signal, waitMs] of steps) {
    const deadline = performance.now() + waitMs;
    // Asked each time, so that no other process with a reused number is hit or waited for.
    if (await serves(pid, cluster)) process.kill(pid, signal);
    while ((await serves(pid, cluster)) && performance.now() < deadline) await sleep(10);
  }
  await removeSocketDirectory(socketDirectory);
}
