/**
 * Finds or installs the programs named on the command line, or all that the tests need. Installs only as root on Debian
 * or Ubuntu; elsewhere it says what to install. No test is skipped because a program is missing.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { findPython } from './python.js';

const shell = 'chromium-headless-shell';
const browsers = [shell, 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * @type {{
 *   name: string;
 *   found: () => boolean;
 *   best?: () => boolean;
 *   packages: string[];
 *   otherwise: string;
 * }[]}
 */
const known = [
  {
    name: 'chromium',
    found: () =>
      process.env.CHROMIUM_PATH === undefined
        ? browsers.some(isProgram)
        : isExecutable(process.env.CHROMIUM_PATH),
    // The shell halves the processor time of the tests. Ubuntu does not have it.
    best: () => process.env.CHROMIUM_PATH !== undefined || isProgram(shell) || !isDebian(),
    packages: [
      isDebian() ? shell : 'chromium',
      // The tests look at text in many scripts.
      'fonts-noto-core',
      'fonts-noto-cjk',
      'fonts-noto-color-emoji',
    ],
    otherwise: 'Install Chromium or Chrome, or set CHROMIUM_PATH to its program.',
  },
  {
    // The shell shows no notifications.
    name: 'a whole chromium',
    found: () =>
      process.env.CHROMIUM_PATH === undefined
        ? browsers.some((browser) => browser !== shell && isProgram(browser))
        : isExecutable(process.env.CHROMIUM_PATH),
    packages: ['chromium'],
    otherwise: 'Install Chromium or Chrome, or set CHROMIUM_PATH to its program.',
  },
  {
    name: 'redis-server',
    found: () => isProgram('redis-server'),
    packages: ['redis-server'],
    otherwise:
      'Install Redis, so that `redis-server` is on the PATH (on macOS: brew install redis).',
  },
  {
    name: 'haproxy',
    found: () => isProgram('haproxy'),
    packages: ['haproxy'],
    otherwise:
      'Install HAProxy, so that `haproxy` is on the PATH (on macOS: brew install haproxy).',
  },
  {
    name: 'python3-socketio',
    found: () => findPython() !== undefined,
    packages: ['python3-socketio', 'python3-websocket'],
    otherwise:
      'Install python-socketio for the python3 on the PATH (pip install "python-socketio[client]").',
  },
  {
    name: 'curl',
    found: () => isProgram('curl'),
    packages: ['curl', 'ca-certificates'],
    otherwise: 'Install curl.',
  },
];

const wanted = process.argv.slice(2);
const tools = known.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
const lacking = tools.filter(({ found, best = () => true }) => !found() || !best());
if (lacking.length > 0 && hasAptAsRoot()) install(lacking.flatMap(({ packages }) => packages));

const stillMissing = tools.filter(({ found }) => !found());
for (const { name, otherwise } of stillMissing) {
  process.stderr.write(`${name} is required, but isn’t installed. ${otherwise}\n`);
}
process.exitCode = stillMissing.length === 0 ? 0 : 1;

function hasAptAsRoot() {
  return process.getuid?.() === 0 && isProgram('apt-get');
}

function isDebian() {
  const about = '/etc/os-release';
  return existsSync(about) && /^ID=debian$/m.test(readFileSync(about, 'utf8'));
}

/** @param {string[]} packages */
function install(packages) {
  process.stderr.write(`Installing ${packages.join(', ')} …\n`);
  const stay = refuseServices();
  try {
    apt('update', '-qq');
    apt('install', '-y', '-qq', '--no-install-recommends', ...packages);
  } finally {
    stay();
  }
}

/** @param {...string} args */
function apt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status } = spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env });
  if (status !== 0) process.stderr.write(`Failed: apt-get ${args.join(' ')}\n`);
}

/** Stops Debian from starting Redis at once: tests start their own. The returned function allows services again. */
function refuseServices() {
  const policy = '/usr/sbin/policy-rc.d';
  if (existsSync(policy)) return () => undefined;
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  return () => rmSync(policy);
}

/** @param {string} name */
function isProgram(name) {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .some((folder) => isExecutable(join(folder, name)));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
