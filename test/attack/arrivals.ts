/** Measures how long signing in takes people who come and go all the time, each with their own account and address. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { signIn } from '../replay/sign-in.ts';
import { open } from './stranger.ts';
import type { Sample } from './windows.ts';

const people = 20;
const pause = 2_000;

/** All accounts are registered before anything is measured. */
export async function watchArrivals(origin: string, now: () => number) {
  const credentials = Array.from({ length: people }, () => ({
    username: `often-${v7().slice(-12)}`,
    password: v7(),
  }));
  const addressOf = (i: number) => `172.17.0.${i + 1}`;
  for (const [i, one] of credentials.entries()) await signIn(origin, 'register', one, addressOf(i));
  const samples: Sample[] = [];
  const over = new AbortController();
  const come = async (i: number, one: object) => {
    const at = now();
    const { cookie } = await signIn(origin, 'login', one, addressOf(i));
    const wire = await open(origin, cookie, addressOf(i));
    // A refused connection gives no sample.
    if (wire !== undefined) samples.push({ at, took: now() - at });
    wire?.close();
  };
  const coming = (async () => {
    for (let i = 0; !over.signal.aborted; i = (i + 1) % people) {
      await come(i, credentials[i] ?? {});
      await sleep(pause);
    }
  })();
  return {
    samples: samples as readonly Sample[],
    async stop(): Promise<void> {
      over.abort();
      await coming;
    },
  };
}
