/** Waiting for what comes, however slow the machine; and how long it took, by a clock that stalls with the machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';

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

/** Does it, and sees that it took no longer than a promise says, in milliseconds of the stopwatch. */
export async function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const watch = startStopwatch();
  const result = await work().finally(() => watch.stop());
  expect(watch.took(), 'ms').to.be.below(ms);
  return result;
}

export interface Stopwatch {
  took(): number;
  stop(): void;
}

/**
 * It says how many milliseconds have passed that this process could use. While the machine keeps it waiting the
 * watch stands still, but not while the process itself is busy: so a bound that a promise names is as strict as ever
 * on a quiet machine, and does not fail for a loaded one. Whoever is done with it stops it: it looks at the
 * process a hundred times a second.
 */
export function startStopwatch(): Stopwatch {
  const tick = 10;
  let passed = 0;
  let [at, used] = [performance.now(), process.cpuUsage()];
  const look = () => {
    const { user, system } = process.cpuUsage(used);
    const busy = (user + system) / 1_000;
    passed += Math.min(performance.now() - at, Math.max(2 * tick, busy));
    [at, used] = [performance.now(), process.cpuUsage()];
  };
  const timer = setInterval(look, tick);
  return {
    took: () => passed,
    stop() {
      clearInterval(timer);
      look();
    },
  };
}
