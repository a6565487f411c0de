/** Ends every process that a run has started, not only children: PostgreSQL and Chromium detach themselves. */
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';

const prefix = 'parley-run-';

/**
 * Ends the processes that this one starts from now on, and removes their files, when this one exits. Finds them by the
 * path of the run's TMPDIR, which it sets, in their environment or command line.
 */
export function ownProcesses(): void {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // Writable by all, because PostgreSQL refuses to run as root and runs as another user.
  chmodSync(folder, 0o1777);
  shareCompiled(folder);
  process.env.TMPDIR = folder;
  openMemory(folder);
  process.on('exit', endProcesses);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => process.exit(1));
}

/** The directory whose files Linux keeps in memory. */
const shared = '/dev/shm';
/** Bytes that must be free there. A run needs a quarter of this. */
const enough = 4e9;

const inMemory = (folder: string) => join(shared, basename(folder));

/** Sets TEST_MEMORY to a folder in memory, if there is room: the 500 files of a database take far longer on disk. */
function openMemory(folder: string): void {
  delete process.env.TEST_MEMORY;
  try {
    const { bavail, bsize } = statfsSync(shared);
    if (bavail * bsize < enough) return;
    const memory = inMemory(folder);
    mkdirSync(memory);
    chmodSync(memory, 0o1777);
    process.env.TEST_MEMORY = memory;
  } catch {
    // The directory does not exist, or this user cannot write to it.
  }
}

/** Links the compile cache of tsx into the run's TMPDIR, so that it outlasts the run. */
function shareCompiled(folder: string): void {
  const name = `tsx-${userInfo().uid}`;
  const kept = join(tmpdir(), name);
  mkdirSync(kept, { recursive: true });
  symlinkSync(kept, join(folder, name));
}

/** Kills all other processes of this run, and their descendants. Needs /proc, as on Linux. */
export function endProcesses(): void {
  const folder = process.env.TMPDIR ?? '';
  if (!folder.includes(prefix)) return;
  for (let found = findProcesses(folder); found.length > 0; found = findProcesses(folder))
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Already exited.
      }
  for (const own of [folder, inMemory(folder)]) rmSync(own, { recursive: true, force: true });
}

interface Found {
  pid: number;
  parent: number;
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
    // Without /proc, processes end only by the signals that reach them.
  }
  return names.flatMap((name) => {
    try {
      const read = (file: string) => readFileSync(`/proc/${name}/${file}`, 'utf8');
      const stat = read('stat');
      // Skip the command name: it is in parentheses and can contain any character.
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const isNamed = `${read('environ')}${read('cmdline')}`.includes(folder);
      return [{ pid: Number(name), parent: Number(parent), isZombie: state === 'Z', isNamed }];
    } catch {
      return [];
    }
  });
}
