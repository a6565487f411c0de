/** Parley in a process of its own, as `npm start` starts it. The two end together. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Parley {
  address: string;
  /** The address is the one by which somebody becomes its owner. */
  ownedByFirst: boolean;
}

/** Everybody in the demo comes from one address: at the usual rates it would take an hour to let them in. */
const rateScale = '100';

export async function startParley(directory: string): Promise<Parley> {
  const main = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: { PARLEY_RATE_SCALE: rateScale, ...process.env, PARLEY_DATA: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child.once('exit', (code) => process.exit(code ?? 1));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => child.kill(signal));
  }
  const [greeting] = (await once(createInterface(child.stdout), 'line')) as [string];
  const address = /https?:\S+/.exec(greeting)?.[0];
  if (address === undefined) throw new Error(`Parley didn’t say where it is: ${greeting}`);
  return { address, ownedByFirst: address.includes('/join/') };
}
