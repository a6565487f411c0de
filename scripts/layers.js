/**
 * Measures how the folders and files of server/ and client/ import each other, and compares that with the budgets
 * below. A measure must not exceed its budget. When it falls, lower the budget, so that it does not rise again.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { layers } from './lint/borders.js';

/** @typedef {'folders in a cycle' | 'files in a type cycle' | 'imports of internal files' | 'files over 250 lines'} Measure */
/** @type {Record<'server' | 'client', Partial<Record<Measure, number>>>} */
const budgets = {
  server: {
    'folders in a cycle': 20,
    'files in a type cycle': 0,
    'imports of internal files': 10,
    'files over 250 lines': 1,
  },
  client: { 'folders in a cycle': 30, 'files in a type cycle': 0, 'files over 250 lines': 2 },
};

/** Features can import any file of these folders. */
const core = new Set(layers.flat());

const statement = /^\s*(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'(\.[^']+)'/gm;

/** @typedef {{ from: string, to: string, isType: boolean }} Import */

/** @param {string} root @returns {{ files: string[], imports: Import[] }} */
function read(root) {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', root], {
    encoding: 'utf8',
  });
  const files = listed
    .split('\n')
    .filter((path) => /\.(ts|svelte)$/.test(path) && existsSync(path));
  const known = new Set(files);
  const imports = files.flatMap((from) =>
    [...readFileSync(from, 'utf8').matchAll(statement)]
      .map(([, type, path = '']) => ({
        from,
        to: normalize(join(dirname(from), path)),
        isType: type !== undefined,
      }))
      .filter(({ to }) => known.has(to)),
  );
  return { files, imports };
}

/** Returns the nodes that are in a cycle. @param {[from: string, to: string][]} arrows */
function inCycles(arrows) {
  /** @type {Map<string, Set<string>>} */
  const next = new Map();
  for (const [from, to] of arrows) next.set(from, (next.get(from) ?? new Set()).add(to));
  return [...next.keys()].filter((start) => {
    const seen = new Set(next.get(start));
    for (const at of seen) for (const to of next.get(at) ?? []) seen.add(to);
    return seen.has(start);
  });
}

/** Returns the folder of a feature or of the core; undefined for a file at the root. @param {string} path */
const folderOf = (path) => path.split('/').slice(1, -1)[0];

/** @param {Import} one */
function isPastFront({ from, to, isType }) {
  const [mine, theirs] = [folderOf(from), folderOf(to)];
  if (isType || mine === undefined || theirs === undefined || mine === theirs) return false;
  return !core.has(theirs) && ![`${theirs}.ts`, 'access.ts', 'part.ts'].includes(basename(to));
}

/** @param {'server' | 'client'} root @returns {Record<Measure, string[]>} */
function measure(root) {
  const { files, imports } = read(root);
  const folders = imports.flatMap(({ from, to, isType }) => {
    const [mine, theirs] = [folderOf(from), folderOf(to)];
    const crosses = !isType && mine !== undefined && theirs !== undefined && mine !== theirs;
    return crosses ? [/** @type {[string, string]} */ ([mine, theirs])] : [];
  });
  return {
    'folders in a cycle': inCycles(folders),
    'files in a type cycle': inCycles(imports.map(({ from, to }) => [from, to])),
    'imports of internal files': imports
      .filter((one) => isPastFront(one))
      .map(({ from, to }) => `${from} → ${to}`),
    'files over 250 lines': files.filter(
      (path) => readFileSync(path, 'utf8').split('\n').length > 251,
    ),
  };
}

for (const root of /** @type {const} */ (['server', 'client'])) {
  const found = measure(root);
  for (const [name, budget] of Object.entries(budgets[root])) {
    const places = found[/** @type {Measure} */ (name)];
    if (places.length === budget) continue;
    process.exitCode = 1;
    if (places.length < budget)
      console.error(`${root}: ${name}: ${places.length}. Lower the budget from ${budget}.`);
    else
      console.error(
        `${root}: ${name}: ${places.length}, over the budget of ${budget}:\n  ${places.join('\n  ')}`,
      );
  }
}
