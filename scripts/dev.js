/** Runs the server from its sources and a build of the client; both follow each change. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const running = [
  ['node_modules/vite/bin/vite.js', 'build', 'client', '--watch', '--logLevel', 'warn'],
  ['node_modules/tsx/dist/cli.mjs', 'watch', '--clear-screen=false', 'server/main.ts'],
].map((args) => spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] }));

for (const child of running) child.once('exit', () => running.forEach((other) => other.kill()));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => running.forEach((child) => child.kill()));
}
