/** A crowd of real sockets in a separate process, so that its work does not count as the server's. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Figures } from './case.ts';
import type { BenchLoad } from './load.ts';
import type { BenchPlace } from './place.ts';
import type { Arrival } from './arriving.ts';
import type { Storm } from './storm.ts';
import type { Transfer } from './transfers.ts';
import type { Uploads } from './uploading.ts';

export interface MessageRate {
  timelineId: string;
  perSecond: number;
}

export interface Arrivals {
  how: Arrival;
  url: string;
  together: number;
  seconds: number;
}

/** Commands to the crowd. It answers each when done, with figures where it measures. */
export type LoadCommand =
  | { do: 'enter'; urls: string[]; people: number; timelineIds: string[]; join: string[] }
  | { do: 'receive'; deliveries: number }
  | { do: 'keep saying'; load: BenchLoad; seconds: number }
  | { do: 'converse'; talk: MessageRate; seconds: number }
  | { do: 'talk'; talk: MessageRate }
  | { do: 'upload'; uploads: Uploads; seconds: number }
  | { do: 'transfer'; transfer: Transfer; seconds: number }
  | { do: 'storm'; storm: Storm }
  | { do: 'come'; arrivals: Arrivals }
  | { do: 'come back'; timelineId: string }
  | { do: 'stop' };

export interface Audience {
  /** Adds people up to this number; each joins these channels. */
  enter(people: number, join?: string[]): Promise<void>;
  /** Resolves when the crowd has together received this number of messages from now on. */
  receive(deliveries: number): Promise<void>;
  /** Sends messages until aborted. Resolves when all of them are answered. */
  keepSaying(load: BenchLoad, seconds: number, signal: AbortSignal): Promise<Figures>;
  /** The time from sending a message until all have received it. */
  converse(talk: MessageRate, seconds: number): Promise<Figures>;
  /** Sends messages until aborted. The time that each waits for its ack, next to all other traffic. */
  talk(talk: MessageRate, signal: AbortSignal): Promise<Figures>;
  /** Megabytes per second of complete uploads, all together. Each person uploads at least one file. */
  upload(uploads: Uploads, seconds: number): Promise<Figures>;
  /** The same by HTTP, for one client. Works with other servers, too. */
  transfer(transfer: Transfer, seconds: number): Promise<Figures>;
  /** The packets that each receives, and the time until each answer. */
  storm(storm: Storm): Promise<Figures>;
  /** How many arrive with the sessions of the crowd, or as new guests, and how long each waits. */
  come(arrivals: Arrivals): Promise<Figures>;
  /** Disconnects all but a few. The time until they are back, and the delay for those who stayed. */
  comeBack(timelineId: string): Promise<Figures>;
  leave(): Promise<void>;
}

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
    async receive(deliveries) {
      await ask(child, { do: 'receive', deliveries });
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
    come: async (arrivals) => (await ask(child, { do: 'come', arrivals })) as Figures,
    comeBack: async (timelineId) => (await ask(child, { do: 'come back', timelineId })) as Figures,
    async leave() {
      const gone = once(child, 'exit');
      if (child.exitCode !== null || !child.connected) return;
      child.disconnect();
      await gone;
    },
  };
}

/** Sends one command and waits for its answer; commands must not overlap. */
const ask = (child: ChildProcess, errand: LoadCommand): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(new Error('The load process exited.'));
    child.once('exit', fail);
    child.once('message', (answer) => {
      child.off('exit', fail);
      resolve(answer);
    });
    child.send(errand);
  });
