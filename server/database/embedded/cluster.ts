import { chmod, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupProblem } from '../../startup.ts';
import { majorVersion } from './binaries.ts';
import { giveTo, type PostgresLayout } from './layout.ts';
import { runProgram } from './runner.ts';

export const superuser = 'parley';

/** @throws StartupProblem if the data belong to another major version or another user */
export async function prepareCluster(
  place: PostgresLayout,
  log: (line: string) => void,
): Promise<void> {
  const version = await readVersion(place.cluster);
  if (version === undefined) await makeCluster(place, log);
  else if (version !== majorVersion) {
    throw new StartupProblem(
      `The data in ${place.cluster} is from PostgreSQL ${version}, but this version of Parley includes ` +
        `${majorVersion}, which can’t read it. Start the version of Parley that wrote it and make a backup ` +
        'to restore here, or run a PostgreSQL of that version on it and set DATABASE_URL.',
    );
  }
  await giveTo(place.runner, place.cluster);
}

async function readVersion(cluster: string): Promise<string | undefined> {
  try {
    return (await readFile(join(cluster, 'PG_VERSION'), 'utf8')).trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new StartupProblem(
      `The data in ${cluster} can’t be read (${message}). ` +
        'Start Parley as the user that owns the data, or make the user that starts Parley its owner.',
    );
  }
}

/** Creates the cluster beside its path and renames it: an interrupted start leaves nothing that looks like data. */
async function makeCluster(
  { binaries, cluster, runner }: PostgresLayout,
  log: (line: string) => void,
) {
  const started = performance.now();
  const half = `${cluster}.init`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { mode: 0o700 });
  await chmod(half, 0o700);
  await giveTo(runner, half);
  try {
    await runProgram(runner, join(binaries, 'bin', 'initdb'), [
      ...['--pgdata', half, '--username', superuser, '--encoding', 'UTF8', '--no-instructions'],
      ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
      // Trusts everyone who reaches the socket: only the owner can enter its directory.
      ...['--auth-local', 'trust', '--auth-host', 'reject'],
    ]);
    await rename(half, cluster);
  } catch (error) {
    throw new StartupProblem(
      `The database couldn’t be created in ${cluster}: ${(error as Error).message}`,
    );
  }
  await syncDirectory(dirname(cluster));
  log(`created a database cluster in ${cluster} (${Math.round(performance.now() - started)} ms)`);
}

/** The rename must survive a power loss, like the data stored afterwards. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
