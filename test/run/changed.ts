/**
 * `npm test -- --changed`: the test files that a change against main can reach, by what they import, directly or not.
 * For the hours between whole runs: what a file reads without naming it is not seen.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const folders = ['client', 'scripts', 'server', 'shared', 'test'];
/** Whatever changes here may change any result. */
const reachesAll =
  /^(package|tsconfig|\.mocharc|eslint|\.oxlintrc|\.ci|test\/run\/|test\/support\/hooks)/;
/** Checks of what is written for people. */
const readsDocuments = /(docs|documents|examples|reference|statements|texts|wire)\.test\.ts$/;

/** @param files all test files, as paths from the root of the project */
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

/** Since this branch left main, and what is not committed yet. */
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

/** Which files name each file, in an import or as a program that they start. */
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
  // A server that delivers the page is not the page.
  const isPage = (to: string) => to.startsWith('dist/client') && !path.startsWith('test/');
  return [...besides, ...named].filter((to) => !isPage(to)).flatMap(sourceOf);
}

/** The source of what is built; the page's is all of the client. */
function sourceOf(path: string): string[] {
  if (path.startsWith('dist/client')) return ['client/main.ts'];
  const source = path.replace(/^dist\//, '');
  const candidates = [source, source.replace(/\.js$/, '.ts')];
  return candidates.filter((one) => existsSync(one) && statSync(one).isFile());
}
