/** A crowd at the door: real sockets in a process of their own, so that their work is not the server's. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figures } from './case.ts';
import type { Load } from './load.ts';
import type { Place } from './place.ts';

/** What the crowd is asked. It answers `here` when all have entered, and with figures when they have said enough. */
export type Errand =
  | { do: 'enter'; url: string; senders: number; timelineIds: string[] }
  | { do: 'keep saying'; load: Load; seconds: number }
  | { do: 'stop' };

export interface Crowd {
  /** Once aborted, they say no more, and it resolves when all that they said is answered. */
  keepSaying(load: Load, seconds: number, signal: AbortSignal): Promise<Figures>;
  leave(): Promise<void>;
}

export async function gatherCrowd({ url, timelineIds }: Place, senders: number): Promise<Crowd> {
  const script = fileURLToPath(new URL('crowd.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import=tsx'] });
  await ask(child, { do: 'enter', url, senders, timelineIds });
  return {
    async keepSaying(load, seconds, signal) {
      const stop = () => void child.send({ do: 'stop' } satisfies Errand);
      signal.addEventListener('abort', stop);
      const figures = await ask(child, { do: 'keep saying', load, seconds });
      signal.removeEventListener('abort', stop);
      return figures as Figures;
    },
    async leave() {
      const gone = once(child, 'exit');
      if (child.exitCode !== null || !child.connected) return;
      child.disconnect();
      await gone;
    },
  };
}

/** One at a time. */
const ask = (child: ChildProcess, errand: Errand): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(new Error('The crowd has gone.'));
    child.once('exit', fail);
    child.once('message', (answer) => {
      child.off('exit', fail);
      resolve(answer);
    });
    child.send(errand);
  });
