import { existsSync, readFileSync } from 'node:fs';

/** The first path is for the source, the second for the build in dist/. */
const file = ['../../package.json', '../../../package.json']
  .map((path) => new URL(path, import.meta.url))
  .find(existsSync);

/** The version of this Parley, as in package.json. */
export const version: string =
  file === undefined
    ? 'unknown'
    : (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
