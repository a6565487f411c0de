/** Parley in a child process, started like `npm start`. The two end together. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ownerName } from './regulars.ts';

export interface Parley {
  /** At the first start, the link that makes a person the owner. */
  address: string;
}

const program = (name: string) =>
  fileURLToPath(new URL(`../../dist/server/${name}.js`, import.meta.url));

/** Raises the rates: all people in the demo have one address, and the usual rates would take an hour to admit them. */
const settings = (directory: string): NodeJS.ProcessEnv => ({
  PARLEY_RATE_SCALE: '100',
  ...process.env,
  PARLEY_LOBBY: 'on',
  PARLEY_DATA: directory,
});

export async function startParley(directory: string): Promise<Parley> {
  const child = spawn(process.execPath, [program('main')], {
    env: settings(directory),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  const [greeting] = (await once(createInterface(child.stdout), 'line')) as [string];
  const address = /https?:\S+/.exec(greeting)?.[0];
  if (address === undefined) throw new Error(`Parley didn’t print its address: ${greeting}`);
  return { address };
}

/** Returns a link that signs in as the owner, after a new password is chosen. It works for an hour. */
export async function ownerLink(origin: string, directory: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [program('admin'), 'person', 'reset', ownerName, '--json'],
    { env: settings(directory) },
  );
  const { pathname, hash } = new URL((JSON.parse(stdout) as { url: string }).url);
  return origin + pathname + hash;
}
