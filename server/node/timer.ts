import { repeat, type Clock, type Stop } from './clock.ts';
import type { Logger } from './log.ts';
import { attempt } from './attempt.ts';

/** Runs `work` every `ms` milliseconds, never concurrently. Failed work is tried again at the next beat. */
export function every(
  node: { log: Logger; clock: Clock },
  ms: number,
  name: string,
  work: () => Promise<void>,
): Stop {
  let working = false;
  return repeat(node.clock, ms, () => {
    if (working) return;
    working = true;
    void attempt(node, name, work).then(() => {
      working = false;
    });
  });
}
