/** A crowd at the door: real sockets in a process of their own, so that their work is not the server's. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figures } from './case.ts';
import type { Load } from './load.ts';
import type { Place } from './place.ts';
import type { Coming } from './arriving.ts';
import type { Storm } from './storm.ts';

/** How talk goes in a channel: at a steady pace, whoever is in it. */
export interface Talk {
  timelineId: string;
  perSecond: number;
}

/** How many come at the same time, where to, and for how long. */
export interface Comings {
  how: Coming;
  url: string;
  together: number;
  seconds: number;
}

/** What the crowd is asked. It answers each when that is done; what it said is answered with figures. */
export type Errand =
  | { do: 'enter'; urls: string[]; people: number; timelineIds: string[]; join: string[] }
  | { do: 'hear'; deliveries: number }
  | { do: 'keep saying'; load: Load; seconds: number }
  | { do: 'converse'; talk: Talk; seconds: number }
  | { do: 'storm'; storm: Storm }
  | { do: 'come'; comings: Comings }
  | { do: 'come back'; timelineId: string }
  | { do: 'stop' };

export interface Crowd {
  /** More come in, until there are so many; each joins these channels. */
  enter(people: number, join?: string[]): Promise<void>;
  /** Resolves when they have together heard so many messages from now on. */
  hear(deliveries: number): Promise<void>;
  /** Once aborted, they say no more, and it resolves when all that they said is answered. */
  keepSaying(load: Load, seconds: number, signal: AbortSignal): Promise<Figures>;
  /** How long it takes from the one who says something to everybody who hears it. */
  converse(talk: Talk, seconds: number): Promise<Figures>;
  /** How many packets that is at each of them, and how long each waits for an answer. */
  storm(storm: Storm): Promise<Figures>;
  /** How many came in by the sessions of the crowd, or as new guests, and how long each waited. */
  come(comings: Comings): Promise<Figures>;
  /** All but a few are cut off, and come back: how long that takes, and how long those wait who stayed. */
  comeBack(timelineId: string): Promise<Figures>;
  leave(): Promise<void>;
}

/** Nobody is in it yet. Who comes in does so at these addresses by turns. */
export function gatherCrowd({
  urls,
  timelineIds,
}: Pick<Place, 'timelineIds'> & { urls: string[] }): Crowd {
  const script = fileURLToPath(new URL('crowd.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import=tsx'] });
  return {
    async enter(people, join = []) {
      await ask(child, { do: 'enter', urls, people, timelineIds, join });
    },
    async hear(deliveries) {
      await ask(child, { do: 'hear', deliveries });
    },
    async keepSaying(load, seconds, signal) {
      const stop = () => void child.send({ do: 'stop' } satisfies Errand);
      signal.addEventListener('abort', stop);
      const figures = await ask(child, { do: 'keep saying', load, seconds });
      signal.removeEventListener('abort', stop);
      return figures as Figures;
    },
    converse: async (talk, seconds) =>
      (await ask(child, { do: 'converse', talk, seconds })) as Figures,
    storm: async (storm) => (await ask(child, { do: 'storm', storm })) as Figures,
    come: async (comings) => (await ask(child, { do: 'come', comings })) as Figures,
    comeBack: async (timelineId) => (await ask(child, { do: 'come back', timelineId })) as Figures,
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
