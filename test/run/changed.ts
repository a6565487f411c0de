/**
 * Selects the test files for `npm test -- --changed`: those that import a changed file, directly or
 * not. It does not replace a whole run, because a file that is read without being named is missed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const folders = ['client', 'scripts', 'server', 'shared', 'test'];
/** Paths whose change can affect every test. */
const reachesAll =
  /^(package|tsconfig|\.mocharc|eslint|\.oxlintrc|\.ci|test\/run\/|test\/support\/hooks)/;
const readsDocuments = /(docs|documents|examples|reference|statements|texts|wire)\.test\.ts$/;

/** @param files all test files, as paths relative to the project root */
export function reachedByChange(files: readonly string[]): string[] {
  const changed = listChanged();
  if (changed.some((path) => reachesAll.test(path))) return [...files];
  const reached = new Set(changed);
  const importers = readImporters();
  for (const path of reached)
    for (const importer of importers.get(path) ?? []) reached.add(importer);
  const hasDocuments = changed.some((path) => path.endsWith('.md'));
  return files.filter((path) => reached.has(path) || (hasDocuments && readsDocuments.test(path)));
}

/** Paths that changed since this branch left main, including uncommitted and untracked ones. */
function listChanged(): string[] {
  const [base = 'HEAD'] = git('merge-base', 'main', 'HEAD');
  return [
    ...git('diff', '--name-only', base),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
}

function git(...args: string[]): string[] {
  const { status, stdout, stderr } = spawnSync('git', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.split('\n').filter((line) => line !== '');
}

/** Maps each file to the files that name it, in an import or as a program to start. */
function readImporters(): Map<string, string[]> {
  const importers = new Map<string, string[]>();
  for (const folder of folders)
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name);
      if (!/\.(ts|js|svelte)$/.test(name)) continue;
      for (const named of namedIn(path))
        importers.set(named, [...(importers.get(named) ?? []), path]);
    }
  return importers;
}

const relative = /['"`](\.{1,2}\/[^'"`\n]+)['"`]/g;
const fromRoot = /['"`/]((?:dist|client|scripts|server|shared|test)\/[^'"`\n$]+)['"`]/g;

function namedIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  const besides = [...text.matchAll(relative)].map(([, to = '']) =>
    normalize(join(dirname(path), to)),
  );
  const named = [...text.matchAll(fromRoot)].map(([, to = '']) => to);
  // Skip the built page unless a test names it: serving the page does not depend on its contents.
  const isPage = (to: string) => to.startsWith('dist/client') && !path.startsWith('test/');
  return [...besides, ...named].filter((to) => !isPage(to)).flatMap(sourceOf);
}

/** Source of a built file. The page maps to client/main.ts, which imports the whole client. */
function sourceOf(path: string): string[] {
  if (path.startsWith('dist/client')) return ['client/main.ts'];
  const source = path.replace(/^dist\//, '');
  const candidates = [source, source.replace(/\.js$/, '.ts')];
  return candidates.filter((one) => existsSync(one) && statSync(one).isFile());
}
