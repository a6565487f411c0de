/** Waits for conditions, with timeouts that grow with the slowness of the machine. */
import { setTimeout as sleep } from 'node:timers/promises';

/** How many times longer a fixed piece of work takes on this machine than on a quiet one (see run/speed.ts); 1 at least. */
export const slowness = Math.max(1, Number(process.env.TEST_SLOWNESS ?? 1));

/** In milliseconds. Whatever a test waits for comes at once on a quiet machine, and late on a busy one. */
export const patience = 60_000 * slowness;

/** How long a test may take, in milliseconds: what it waits for in vain is told before that. */
export const longestTest = 5 * patience;

/** Milliseconds between two looks. */
const interval = 20;

/**
 * Waits until this is so. Fails when it has not come to be for a long time: looks are counted, since their number
 * stands still with the machine.
 */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: () => string = () => String(holds),
  patienceMs = patience,
): Promise<void> {
  for (let looks = 0; !(await holds()); looks += 1) {
    if (looks * interval > patienceMs) throw new Error(`it never came to be: ${what()}`);
    await sleep(interval);
  }
}
