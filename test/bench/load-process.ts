/** A crowd at the door: real sockets in a process of their own, so that their work is not the server's. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figures } from './case.ts';
import type { BenchLoad } from './load.ts';
import type { BenchPlace } from './place.ts';
import type { Coming } from './arriving.ts';
import type { Storm } from './storm.ts';
import type { Transfer } from './transfers.ts';
import type { Uploads } from './uploading.ts';

/** How talk goes in a channel: at a steady pace, whoever is in it. */
export interface TalkPace {
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
export type LoadCommand =
  | { do: 'enter'; urls: string[]; people: number; timelineIds: string[]; join: string[] }
  | { do: 'hear'; deliveries: number }
  | { do: 'keep saying'; load: BenchLoad; seconds: number }
  | { do: 'converse'; talk: TalkPace; seconds: number }
  | { do: 'talk'; talk: TalkPace }
  | { do: 'upload'; uploads: Uploads; seconds: number }
  | { do: 'transfer'; transfer: Transfer; seconds: number }
  | { do: 'storm'; storm: Storm }
  | { do: 'come'; comings: Comings }
  | { do: 'come back'; timelineId: string }
  | { do: 'stop' };

export interface Audience {
  /** More come in, until there are so many; each joins these channels. */
  enter(people: number, join?: string[]): Promise<void>;
  /** Resolves when they have together heard so many messages from now on. */
  hear(deliveries: number): Promise<void>;
  /** Once aborted, they say no more, and it resolves when all that they said is answered. */
  keepSaying(load: BenchLoad, seconds: number, signal: AbortSignal): Promise<Figures>;
  /** How long it takes from the one who says something to everybody who hears it. */
  converse(talk: TalkPace, seconds: number): Promise<Figures>;
  /** How long each message waits for its ack, whatever else they hear. Once aborted, they say no more. */
  talk(talk: TalkPace, signal: AbortSignal): Promise<Figures>;
  /** How many megabytes of whole files they get across in a second, all together; each one file at least. */
  upload(uploads: Uploads, seconds: number): Promise<Figures>;
  /** The same by HTTP, of one client; also from a server that isn’t Parley. */
  transfer(transfer: Transfer, seconds: number): Promise<Figures>;
  /** How many packets that is at each of them, and how long each waits for an answer. */
  storm(storm: Storm): Promise<Figures>;
  /** How many came in by the sessions of the crowd, or as new guests, and how long each waited. */
  come(comings: Comings): Promise<Figures>;
  /** All but a few are cut off, and come back: how long that takes, and how long those wait who stayed. */
  comeBack(timelineId: string): Promise<Figures>;
  leave(): Promise<void>;
}

/** A crowd that is there while something is done with it. */
export async function withCrowd<T>(
  door: Parameters<typeof gatherCrowd>[0],
  work: (crowd: Audience) => Promise<T>,
): Promise<T> {
  const crowd = gatherCrowd(door);
  try {
    return await work(crowd);
  } finally {
    await crowd.leave();
  }
}

/** Nobody is in it yet. Who comes in does so at these addresses by turns. */
export function gatherCrowd({
  urls,
  timelineIds,
}: Pick<BenchPlace, 'timelineIds'> & { urls: string[] }): Audience {
  const script = fileURLToPath(new URL('crowd.ts', import.meta.url));
  const child = fork(script, { execArgv: ['--import=tsx'] });
  const askUntil = async (errand: LoadCommand, signal: AbortSignal) => {
    const stop = () => void child.send({ do: 'stop' } satisfies LoadCommand);
    signal.addEventListener('abort', stop);
    const figures = await ask(child, errand);
    signal.removeEventListener('abort', stop);
    return figures as Figures;
  };
  return {
    async enter(people, join = []) {
      await ask(child, { do: 'enter', urls, people, timelineIds, join });
    },
    async hear(deliveries) {
      await ask(child, { do: 'hear', deliveries });
    },
    keepSaying: (load, seconds, signal) => askUntil({ do: 'keep saying', load, seconds }, signal),
    converse: async (talk, seconds) =>
      (await ask(child, { do: 'converse', talk, seconds })) as Figures,
    talk: (talk, signal) => askUntil({ do: 'talk', talk }, signal),
    upload: async (uploads, seconds) =>
      (await ask(child, { do: 'upload', uploads, seconds })) as Figures,
    transfer: async (transfer, seconds) =>
      (await ask(child, { do: 'transfer', transfer, seconds })) as Figures,
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
const ask = (child: ChildProcess, errand: LoadCommand): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(new Error('The crowd has gone.'));
    child.once('exit', fail);
    child.once('message', (answer) => {
      child.off('exit', fail);
      resolve(answer);
    });
    child.send(errand);
  });
