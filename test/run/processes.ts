/** Ends every process that a run has started, whoever its parent is by now: PostgreSQL and Chromium detach themselves. */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** The environment variable that every process of a run inherits. */
const marker = 'PARLEY_TEST_RUN';

/** From now on what this process starts, and what that writes to the folder for temporary files, ends with it. */
export function ownProcesses(): void {
  process.env[marker] = randomUUID();
  const files = mkdtempSync(join(tmpdir(), 'parley-run-'));
  // PostgreSQL does not run as root: it is another user who writes there.
  chmodSync(files, 0o1777);
  process.env.TMPDIR = files;
  process.on('exit', () => {
    endProcesses();
    rmSync(files, { recursive: true, force: true });
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(1));
}

/** Kills all that carries this process's mark, and their descendants, until none is left. Needs Linux's /proc. */
export function endProcesses(): void {
  const mine = `${marker}=${process.env[marker]}`;
  for (let found = findProcesses(mine); found.length > 0; found = findProcesses(mine))
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
}

interface Found {
  pid: number;
  parent: number;
  /** Ended, and not yet waited for by its parent. */
  isZombie: boolean;
  isMarked: boolean;
}

function findProcesses(mark: string): number[] {
  const all = listProcesses(mark);
  const byPid = new Map(all.map((found) => [found.pid, found]));
  /** A child with an environment of its own carries no mark. */
  const belongs = (found: Found | undefined): boolean =>
    found !== undefined && (found.isMarked || belongs(byPid.get(found.parent)));
  return all
    .filter((found) => found.pid !== process.pid && !found.isZombie && belongs(found))
    .map(({ pid }) => pid);
}

function listProcesses(mark: string): Found[] {
  let names: string[] = [];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    // Not Linux: what was started ends with the signals that it was sent.
  }
  return names.flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The program's name stands in brackets and may hold anything.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const environment = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
      const isMarked = environment.includes(mark);
      return [{ pid: Number(name), parent: Number(parent), isZombie: state === 'Z', isMarked }];
    } catch {
      return [];
    }
  });
}
