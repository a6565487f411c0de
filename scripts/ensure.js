/** Installs the packages and builds, if needed. Runs before `npm start` and `npm test`, so it uses nothing but Node. */
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressAll } from './compress.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamp = 'dist/.built';

process.chdir(root);
refuseOldNode();
ensurePackages();
ensureBuild();

function refuseOldNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  fail(`Parley needs Node 20.19 or newer; this is ${process.versions.node}.`);
}

function ensurePackages() {
  // npm writes this file last.
  if (changedAt('node_modules/.package-lock.json') >= changedAt('package-lock.json')) return;
  step('Installing packages', () => {
    // Includes development packages even under NODE_ENV=production, because the build needs them.
    npm('ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error');
  });
}

function ensureBuild() {
  const sources = [
    'server',
    'shared',
    'client',
    'docs',
    'scripts/docs',
    'scripts/pages',
    'tsconfig.json',
    'tsconfig.build.json',
    'package-lock.json',
  ];
  if (changedAt(stamp) >= Math.max(...sources.map(newest))) return;
  // Dates the stamp before the build, so that files that change during it are built again.
  const began = new Date();
  step('Building', (next) => {
    for (const part of ['dist/server', 'dist/shared', 'dist/bot', stamp])
      rmSync(part, { recursive: true, force: true });
    next('the server');
    for (const project of ['tsconfig.build.json', 'client/bot/tsconfig.build.json'])
      node('node_modules/@typescript/native/bin/tsc', '-p', project);
    next('the client');
    node('node_modules/vite/bin/vite.js', 'build', 'client', '--logLevel', 'warn');
    next('the documents');
    node('scripts/pages/pages.js');
    node('--import=tsx', 'scripts/docs/for-tools.ts');
    next('compressed copies');
    for (const folder of ['dist/client', 'dist/docs']) compressAll(folder);
    packBot();
    writeFileSync(stamp, '');
    utimesSync(stamp, began, began);
  });
}

/** Packs the bot library into the client’s files, so that `npm install` can fetch it from any Parley. */
function packBot() {
  copyFileSync('client/bot/package.json', 'dist/bot/package.json');
  npm('pack', './dist/bot', '--pack-destination', 'dist/client', '--silent');
  for (const name of readdirSync('dist/client'))
    if (name.endsWith('.tgz')) renameSync(`dist/client/${name}`, 'dist/client/parley-bot.tgz');
}

/** @param {string} path @returns {number} milliseconds, 0 if there is none */
function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * A folder’s own time counts too, because it changes when a file is deleted. Hidden files and folders, in which tools
 * keep data, do not count.
 * @param {string} path @returns {number}
 */
function newest(path) {
  if (!statSync(path).isDirectory()) return changedAt(path);
  return readdirSync(path)
    .filter((name) => !name.startsWith('.'))
    .reduce((time, name) => Math.max(time, newest(join(path, name))), changedAt(path));
}

/** `next` logs the start of a part. @param {string} name @param {(next: (part: string) => void) => void} work */
function step(name, work) {
  const began = Date.now();
  const seconds = () => ((Date.now() - began) / 1000).toFixed(1);
  process.stderr.write(`${name} …\n`);
  work((part) => process.stderr.write(`  ${seconds()} s: ${part}\n`));
  process.stderr.write(`${name}: done in ${seconds()} s\n`);
}

/** @param {...string} args */
function npm(...args) {
  const own = process.env.npm_execpath;
  if (own === undefined) run('npm', args);
  else node(own, ...args);
}

/** @param {...string} args */
function node(...args) {
  run(process.execPath, args);
}

/** Sends output to stderr, because stdout is for the address alone. @param {string} program @param {string[]} args */
function run(program, args) {
  const { status, error } = spawnSync(program, args, { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  fail(`Failed: ${program} ${args.join(' ')}${error === undefined ? '' : ` (${error.message})`}`);
}

/** @param {string} message @returns {never} */
function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
