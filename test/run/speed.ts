/** Measures the speed of this machine now: fewer files run at a time on a slow or busy machine. */
import { pbkdf2Sync } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds that one piece of work takes on a quiet machine. */
const usual = 20;
const pieces = 12;
const rest = 50;

const work = () => pbkdf2Sync('password', 'salt', 100_000, 32, 'sha256');

/** How many times longer than usual a fixed piece of work takes, next to the other processes of this machine. */
export async function measureSlowness(): Promise<number> {
  let took = 0;
  for (let i = 0; i < pieces; i += 1) {
    const began = performance.now();
    work();
    took += performance.now() - began;
    await sleep(rest);
  }
  return Math.max(1, took / pieces / usual);
}
