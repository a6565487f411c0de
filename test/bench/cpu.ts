/** The processor time that processes have had, as Linux counts it. */
import { readdir, readFile } from 'node:fs/promises';
import { query, type Db } from '../../server/database/database.ts';

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

/** Of a process and all that it has started, and what they have started. */
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

/** The process that all of PostgreSQL’s come from. */
export async function postmasterOf(db: Db): Promise<number> {
  const [found] = await query<{ pid: number }>(db, 'select pg_backend_pid() as pid');
  return (await readProcess(found?.pid ?? 0))?.parent ?? 0;
}
