import type { App } from '../app.ts';
import { repeat, type Stop } from './clock.ts';
import { attempt } from './attempt.ts';

/** Does `work` again and again, never twice at once. What fails is tried again with the next beat. */
export function every(
  app: Pick<App, 'log' | 'clock'>,
  ms: number,
  name: string,
  work: () => Promise<void>,
): Stop {
  let working = false;
  return repeat(app.clock, ms, () => {
    if (working) return;
    working = true;
    void attempt(app, name, work).then(() => {
      working = false;
    });
  });
}
