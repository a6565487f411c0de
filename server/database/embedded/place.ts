/** Where binaries and data are, and as whom PostgreSQL can reach them. */
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
import { StartupProblem } from '../../node/startup.ts';
import { findBinaries, type Binaries } from './binaries.ts';
import { mapped, nobody, oneself, run, type Runner } from './runner.ts';

export interface PostgresLayout {
  /** Holds bin/, lib/ and share/. */
  binaries: string;
  /** PostgreSQL's data directory, its real path; it may not exist yet. */
  cluster: string;
  runner: Runner;
}

/** For root alone, when nobody may reach a checkout or data in a private home. */
const stage = '/var/lib/parley';

/** @throws StartupProblem if there is no user who reaches both */
export async function chooseLayout(
  dataDirectory: string,
  log: (line: string) => void,
): Promise<PostgresLayout> {
  const binaries = await findBinaries();
  const cluster = await follow(join(dataDirectory, 'postgres'));
  const here = { binaries: binaries.root, cluster };
  const isRoot = process.getuid?.() === 0;
  for (const runner of isRoot ? [await nobody(), mapped] : [oneself, mapped]) {
    if ((await obstacle({ ...here, runner })) === undefined) return { ...here, runner };
  }
  if (!isRoot) return checked({ ...here, runner: oneself });
  log(`no unprivileged user reaches ${dirname(cluster)} or the binaries: using ${stage}`);
  return checked(await moveOut(here, binaries));
}

/** The real path of what may not exist yet. */
async function follow(path: string): Promise<string> {
  return realpath(path).catch(async () => join(await realpath(dirname(path)), 'postgres'));
}

/** Why PostgreSQL does not run like this, found by trying; undefined if it does. */
async function obstacle({
  binaries,
  cluster,
  runner,
}: PostgresLayout): Promise<string | undefined> {
  // initdb wants its user to have a name, which a container's may not.
  const trial =
    'id -un && { test -x "$1" || { echo "cannot enter $1" >&2; exit 1; }; } && exec "$2" --version';
  const args = ['-c', trial, 'sh', dirname(cluster), join(binaries, 'bin', 'postgres')];
  return run(runner, '/bin/sh', args).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
}

async function checked(place: PostgresLayout): Promise<PostgresLayout> {
  const why = await obstacle(place);
  if (why === undefined) return place;
  throw new StartupProblem(
    `The embedded PostgreSQL doesn’t run as ${place.runner.name} (${why}). ` +
      'Start Parley as an ordinary user, or set DATABASE_URL to a PostgreSQL.',
  );
}

/** Puts what nobody cannot reach where nobody can; a link in the data directory says where the data went. */
async function moveOut(
  here: { binaries: string; cluster: string },
  { root, version }: Binaries,
): Promise<PostgresLayout> {
  const runner = await nobody();
  await mkdir(stage, { recursive: true });
  await chmod(stage, 0o755);
  const place = { ...here, binaries: await copyBinaries(root, version), runner };
  if ((await obstacle(place)) === undefined) return place;
  if (await exists(place.cluster)) {
    throw new StartupProblem(
      `The data in ${place.cluster} can’t be reached by any unprivileged user, as PostgreSQL needs. ` +
        `Let others enter the directories above it (chmod o+x), or set PARLEY_DATA to ` +
        'a directory that isn’t inside a private home.',
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
  await run(oneself, 'chmod', ['-R', 'a+rX', half]);
  await rename(half, target).catch(() => rm(half, { recursive: true }));
  return target;
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Gives a directory and all in it to whoever PostgreSQL runs as, if root may and it is not so yet. */
export async function giveTo(runner: Runner, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  // In the user namespace, root's files are the ones that PostgreSQL sees as its own.
  const uid = runner.uid ?? 0;
  const gid = runner.gid ?? 0;
  if ((await lstat(path)).uid === uid >>> 0) return;
  // The top goes last: if this is interrupted, the next start does it all again.
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries) await lchown(join(entry.parentPath, entry.name), uid, gid);
  await lchown(path, uid, gid);
}
