import { repeat, type Clock } from './clock.ts';
import type { Logger } from './log.ts';
import { attempt } from './attempt.ts';

/** Stops the timer and waits for work under way, so that the database can be closed afterwards. */
export type StopWork = () => Promise<void>;

/** Runs `work` every `ms` milliseconds, never concurrently. Failed work is tried again at the next beat. */
export function every(
  node: { log: Logger; clock: Clock },
  ms: number,
  name: string,
  work: () => Promise<void>,
): StopWork {
  let working: Promise<void> | undefined;
  const stop = repeat(node.clock, ms, () => {
    working ??= attempt(node, name, work).then(() => {
      working = undefined;
    });
  });
  return async () => {
    stop();
    await working;
  };
}
