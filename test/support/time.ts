import { setTimeout as sleep } from 'node:timers/promises';

/** How many times longer a fixed piece of work takes on this machine than on a quiet one (see run/speed.ts); 1 at least. */
export const slowness = Math.max(1, Number(process.env.TEST_SLOWNESS ?? 1));

/** In milliseconds. Conditions hold at once on a quiet machine, and late on a busy one. */
export const timeoutMs = 60_000 * slowness;

/** The limit of a test: longer than `timeoutMs`, so that a failed wait is reported first. */
export const longestTest = 5 * timeoutMs;

/** Milliseconds between two checks. */
const interval = 20;

/** Waits until `holds` returns true. Fails after many checks, whose number stands still while the machine stalls. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: () => string = () => String(holds),
  waitMs = timeoutMs,
): Promise<void> {
  for (let looks = 0; !(await holds()); looks += 1) {
    if (looks * interval > waitMs) throw new Error(`timed out: ${what()}`);
    await sleep(interval);
  }
}
