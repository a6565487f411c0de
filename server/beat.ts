import type { App } from './app.ts';
import { attempt } from './command.ts';

/** Does `work` again and again, never twice at once. What fails is tried again with the next beat. */
export function every(
  app: Pick<App, 'log'>,
  ms: number,
  name: string,
  work: () => Promise<void>,
): NodeJS.Timeout {
  let working = false;
  return setInterval(() => {
    if (working) return;
    working = true;
    void attempt(app, name, work).then(() => {
      working = false;
    });
  }, ms).unref();
}
