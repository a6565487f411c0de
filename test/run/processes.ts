/** Ends every process that a run has started, whoever its parent is by now: PostgreSQL and Chromium detach themselves. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

const prefix = 'parley-run-';

/**
 * From now on all that this process starts, and all that they write to the folder for temporary files, ends with it.
 * That folder, which is the run's own, stands in their environment or on their command line: by it they are found.
 */
export function ownProcesses(): void {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // PostgreSQL does not run as root: it is another user who writes there.
  chmodSync(folder, 0o1777);
  shareCompiled(folder);
  process.env.TMPDIR = folder;
  process.on('exit', endProcesses);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(1));
}

/** tsx keeps what it has compiled among the temporary files: that outlasts a run. */
function shareCompiled(folder: string): void {
  const name = `tsx-${userInfo().uid}`;
  const kept = join(tmpdir(), name);
  mkdirSync(kept, { recursive: true });
  symlinkSync(kept, join(folder, name));
}

/** Kills all others of the run that this process belongs to, and their descendants. Needs Linux's /proc. */
export function endProcesses(): void {
  const folder = process.env.TMPDIR ?? '';
  if (!folder.includes(prefix)) return;
  for (let found = findProcesses(folder); found.length > 0; found = findProcesses(folder))
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended meanwhile.
      }
  rmSync(folder, { recursive: true, force: true });
}

interface Found {
  pid: number;
  parent: number;
  /** Ended, and not yet waited for by its parent. */
  isZombie: boolean;
  isNamed: boolean;
}

function findProcesses(folder: string): number[] {
  const all = listProcesses(folder);
  const byPid = new Map(all.map((found) => [found.pid, found]));
  const belongs = (found: Found | undefined): boolean =>
    found !== undefined &&
    (found.isNamed || found.pid === process.pid || belongs(byPid.get(found.parent)));
  return all
    .filter((found) => found.pid !== process.pid && !found.isZombie && belongs(found))
    .map(({ pid }) => pid);
}

function listProcesses(folder: string): Found[] {
  let names: string[] = [];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    // Not Linux: what was started ends by the signals that reach it.
  }
  return names.flatMap((name) => {
    try {
      const read = (file: string) => readFileSync(`/proc/${name}/${file}`, 'utf8');
      const stat = read('stat');
      // The program's name stands in brackets and may hold anything.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isNamed = `${read('environ')}${read('cmdline')}`.includes(folder);
      return [{ pid: Number(name), parent: Number(parent), isZombie: state === 'Z', isNamed }];
    } catch {
      return [];
    }
  });
}
