import {
  access,
  chmod,
  cp,
  lchown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  realpath,
  rename,
  rm,
  symlink,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupProblem } from '../../startup.ts';
import { findBinaries, type Binaries } from './binaries.ts';
import { mapped, runnerAsNobody, oneself, runProgram, type Runner } from './runner.ts';

export interface PostgresLayout {
  binaries: string;
  /** The real path of PostgreSQL’s data directory, which need not exist yet. */
  cluster: string;
  runner: Runner;
}

/** Used only if Node runs as root and `nobody` cannot reach the checkout or the data, such as in a private home. */
const stage = '/var/lib/parley';

/** @throws StartupProblem if no user can reach both */
export async function chooseLayout(
  dataDirectory: string,
  log: (line: string) => void,
): Promise<PostgresLayout> {
  const binaries = await findBinaries();
  const cluster = await follow(join(dataDirectory, 'postgres'));
  const here = { binaries: binaries.root, cluster };
  const isRoot = process.getuid?.() === 0;
  for (const runner of isRoot ? [await runnerAsNobody(), mapped] : [oneself, mapped]) {
    if ((await obstacle({ ...here, runner })) === undefined) return { ...here, runner };
  }
  if (!isRoot) return checked({ ...here, runner: oneself });
  log(`no unprivileged user can access both ${dirname(cluster)} and the binaries: using ${stage}`);
  return checked(await moveAside(here, binaries));
}

/** Returns the real path of a directory that need not exist yet. */
async function follow(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await realpath(dirname(path)), 'postgres'));
}

/** Tries to run PostgreSQL. Returns why it fails, or undefined. */
async function obstacle({
  binaries,
  cluster,
  runner,
}: PostgresLayout): Promise<string | undefined> {
  // initdb requires that its user has a name, which the user of a container can lack.
  const trial =
    'id -un && { test -x "$1" || { echo "cannot enter $1" >&2; exit 1; }; } && exec "$2" --version';
  const args = ['-c', trial, 'sh', dirname(cluster), join(binaries, 'bin', 'postgres')];
  return runProgram(runner, '/bin/sh', args).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

async function checked(place: PostgresLayout): Promise<PostgresLayout> {
  const why = await obstacle(place);
  if (why === undefined) return place;
  throw new StartupProblem(
    `The embedded PostgreSQL can’t run as ${place.runner.name} (${why}). ` +
      'Start Parley as an ordinary user, or set DATABASE_URL to a PostgreSQL.',
  );
}

/** Moves binaries and data to a place that `nobody` can reach; a link in the data directory leads to the data. */
async function moveAside(
  here: { binaries: string; cluster: string },
  { root, version }: Binaries,
): Promise<PostgresLayout> {
  const runner = await runnerAsNobody();
  await mkdir(stage, { recursive: true });
  await chmod(stage, 0o755);
  const place = { ...here, binaries: await copyBinaries(root, version), runner };
  if ((await obstacle(place)) === undefined) return place;
  if (await exists(place.cluster)) {
    throw new StartupProblem(
      `PostgreSQL must run as an unprivileged user, but none can access the data in ${place.cluster}. ` +
        `Make the directories above it accessible (chmod o+x), or set PARLEY_DATA to ` +
        'a directory outside of private home directories.',
    );
  }
  const home = await mkdtemp(join(stage, 'data-'));
  await chmod(home, 0o711);
  await symlink(join(home, 'postgres'), place.cluster);
  return { ...place, cluster: join(home, 'postgres') };
}

async function copyBinaries(root: string, version: string): Promise<string> {
  const target = join(stage, `postgresql-${version}`);
  if (await exists(target)) return target;
  const half = await mkdtemp(join(stage, 'copying-'));
  await cp(root, half, { recursive: true, verbatimSymlinks: true });
  await runProgram(oneself, 'chmod', ['-R', 'a+rX', half]);
  await rename(half, target).catch(() => rm(half, { recursive: true }));
  return target;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Gives a directory and its contents to PostgreSQL’s user, if Node runs as root and they are not that user’s. */
export async function giveTo(runner: Runner, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // In the user namespace, root's files appear as PostgreSQL's own.
  const uid = runner.uid ?? 0;
  const gid = runner.gid ?? 0;
  if ((await lstat(path)).uid === uid >>> 0) return;
  // The directory itself goes last: if this is interrupted, the next start repeats all of it.
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), uid, gid);
  await lchown(path, uid, gid);
}
