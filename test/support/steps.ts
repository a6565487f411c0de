/** Counts the steps of the client's parser (steps-itself.ts), which are the same on every machine. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface StepCounter {
  of: (texts: readonly string[]) => Promise<number[]>;
  close: () => Promise<unknown>;
}

export function openStepCounter(): StepCounter {
  const script = fileURLToPath(new URL('steps-itself.ts', import.meta.url));
  const counter = fork(script, { execArgv: ['--import=tsx'] });
  return {
    async of(texts) {
      const answer = once(counter, 'message');
      counter.send(texts);
      const [{ steps, failure }] = (await answer) as [{ steps: number[]; failure?: string }];
      if (failure !== undefined) throw new Error(failure);
      return steps;
    },
    async close() {
      const ended = once(counter, 'exit');
      counter.disconnect();
      await ended;
    },
  };
}
