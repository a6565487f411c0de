/** Finds the postmaster of a data directory by its `postmaster.pid`, which can be left over from a crash. */
import { execFile } from 'node:child_process';
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export interface Serving {
  pid: number;
  socketDirectory: string;
}

export async function findServing(cluster: string): Promise<Serving | undefined> {
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const [pid = '', , , , socketDirectory = ''] = text.split('\n');
  if (await serves(Number(pid), cluster)) return { pid: Number(pid), socketDirectory };
  // PostgreSQL only checks whether some process has that id, and would refuse to start.
  await rm(file, { force: true });
  await removeSocketDirectory(socketDirectory);
  return undefined;
}

/** The prefix of Parley’s socket directories. No other directory is removed. */
export const socketPrefix = 'parley-socket-';

export async function removeSocketDirectory(directory: string): Promise<void> {
  if (!basename(directory).startsWith(socketPrefix)) return;
  await rm(directory, { recursive: true, force: true });
}

/** True when this process is a postmaster with this data directory as its working directory. */
export async function serves(pid: number, cluster: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid)) return false;
  if (process.platform !== 'linux') return servesByName(pid, cluster);
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (basename(commandLine.split('\0')[0] ?? '') !== 'postgres') return false;
  // Compares the directories themselves, because its arguments can name another path of the same one.
  const [its, ours] = await Promise.all([
    stat(`/proc/${pid}/cwd`).catch(() => undefined),
    stat(cluster).catch(() => undefined),
  ]);
  return its !== undefined && its.dev === ours?.dev && its.ino === ours.ino;
}

async function servesByName(pid: number, cluster: string): Promise<boolean> {
  const ps = await exec('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).catch(() => undefined);
  return ps?.stdout.includes(`postgres -D ${cluster} `) ?? false;
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
