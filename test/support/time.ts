/** Waiting for what comes, however slow the machine; and how long it took, by a clock that stalls with the machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

/** In milliseconds. Whatever a test waits for comes at once on a quiet machine, and late on a busy one. */
export const patience = 40_000;

/** Waits until this is so. Fails when it has not come to be for a long time. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: () => string = () => String(holds),
): Promise<void> {
  const took = stopwatch();
  while (!(await holds())) {
    if (took() > patience) throw new Error(`it never came to be: ${what()}`);
    await sleep(20);
  }
}

/** Does it, and sees that it took no longer than a promise says, in milliseconds of the stopwatch. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const took = stopwatch();
  const result = await work();
  expect(took(), 'ms').to.be.below(ms);
  return result;
}

const tick = 10;
let passed = 0;
let ticking: NodeJS.Timeout | undefined;

/**
 * Answers with how many milliseconds have passed that this process could use. While the machine keeps it waiting the
 * watch stands still, but not while the process itself is busy: so a bound that a promise names is as strict as ever
 * on a quiet machine, and does not fail for a loaded one.
 */
export function stopwatch(): () => number {
  ticking ??= startTicking();
  const began = passed;
  return () => passed - began;
}

function startTicking(): NodeJS.Timeout {
  let [at, used] = [performance.now(), process.cpuUsage()];
  return setInterval(() => {
    const { user, system } = process.cpuUsage(used);
    const busy = (user + system) / 1_000;
    passed += Math.min(performance.now() - at, Math.max(2 * tick, busy));
    [at, used] = [performance.now(), process.cpuUsage()];
  }, tick).unref();
}
