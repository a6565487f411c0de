/** The processor time that processes have had, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';

/** Linux counts in hundredths of a second. */
const tick = 10_000;

interface Process {
  parent: number;
  /** Microseconds, of its own and of its children that have ended. */
  used: number;
}

async function readProcess(pid: number | string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name stands in brackets and may hold anything.
  const fields = text
    ?.slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  if (fields === undefined) return undefined;
  const [user = 0, system = 0, childrenUser = 0, childrenSystem = 0] = fields.slice(11, 15);
  return {
    parent: fields[1] ?? 0,
    used: (user + system + childrenUser + childrenSystem) * tick,
  };
}

/** Of these processes together, in microseconds. */
export async function used(pids: (number | undefined)[]): Promise<number> {
  let sum = 0;
  for (const pid of pids) sum += (await readProcess(pid ?? 0))?.used ?? 0;
  return sum;
}

/** Of a process and all that it has started. */
export async function usedByFamily(pid: number): Promise<number> {
  let sum = await used([pid]);
  for (const name of await readdir('/proc')) {
    const process = /^\d+$/.test(name) ? await readProcess(name) : undefined;
    if (process?.parent === pid) sum += process.used;
  }
  return sum;
}

export async function parentOf(pid: number): Promise<number> {
  return (await readProcess(pid))?.parent ?? 0;
}
