import { readdir, readFile } from 'node:fs/promises';
import { query, type Db } from '../../server/database/database.ts';

/** Microseconds in one tick of Linux: a hundredth of a second. */
const tick = 10_000;

interface Process {
  parent: number;
  /** Microseconds of the process and of its children that have ended. */
  used: number;
}

async function readProcess(pid: number | string): Promise<Process | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  // The name is in parentheses and can contain any character.
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

/** Returns the sum for these processes, in microseconds. */
export async function used(pids: (number | undefined)[]): Promise<number> {
  let sum = 0;
  for (const pid of pids) sum += (await readProcess(pid ?? 0))?.used ?? 0;
  return sum;
}

export async function usedByFamily(pid: number): Promise<number> {
  const names = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const all = new Map<number, Process>();
  for (const name of names) {
    const process = await readProcess(name);
    if (process !== undefined) all.set(Number(name), process);
  }
  const isOfFamily = (id: number): boolean =>
    id === pid || (all.has(id) && isOfFamily(all.get(id)!.parent));
  return [...all].reduce((sum, [id, { used }]) => sum + (isOfFamily(id) ? used : 0), 0);
}

export async function postmasterOf(db: Db): Promise<number> {
  const [found] = await query<{ pid: number }>(db, 'select pg_backend_pid() as pid');
  return (await readProcess(found?.pid ?? 0))?.parent ?? 0;
}
