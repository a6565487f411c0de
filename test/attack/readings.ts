/** Measures how long reading a page or a file takes, and entering as a guest and writing, with repeated requests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError } from '../../shared/failure.ts';
import { retryUntilAnswered } from '../replay/retry.ts';
import { signIn } from '../replay/sign-in.ts';
import { open, read, shareFile, type Visitor, type Wire } from './stranger.ts';
import type { Sample } from './windows.ts';

const people = 10;
const messages = 50;
const fileBytes = 1_000_000;
/** In milliseconds, between two of a kind. Each person reads about every five seconds. */
const pause = { reading: 500, newcomer: 500 };

type Samples = Record<'page' | 'file' | 'newcomer', Sample[]>;

export async function watchReading(origin: string, now: () => number) {
  const place = await openPlace(origin);
  const readers: Visiting[] = [];
  for (let i = 1; i <= people; i += 1)
    readers.push(await openReader(origin, `172.18.${i}.1`, place));
  const samples: Samples = { page: [], file: [], newcomer: [] };
  const over = new AbortController();
  const sampleUntilStopped = async (
    kept: Sample[],
    ms: number,
    act: (turn: number) => Promise<unknown>,
  ) => {
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const at = now();
      await act(turn);
      kept.push({ at, took: now() - at });
      await sleep(ms);
    }
  };
  const { timelineId, path } = place;
  const readerOf = (turn: number) => readers[turn % people]!;
  const reading = Promise.all([
    sampleUntilStopped(samples.page, pause.reading, (turn) =>
      readerOf(turn).ask((wire) => wire.send('message:list', { timelineId, limit: messages })),
    ),
    sampleUntilStopped(samples.file, pause.reading, (turn) =>
      readFile(readerOf(turn).visitor, path),
    ),
    sampleUntilStopped(samples.newcomer, pause.newcomer, async (turn) => {
      const newcomer = await openReader(origin, `172.20.${turn % 250}.1`, place);
      const said = { timelineId, body: 'Hello', id: v7() };
      await newcomer.ask((wire) => wire.send('message:send', said));
      newcomer.close();
    }),
  ]);
  // `stop` rejects with the error.
  reading.catch(() => undefined);
  return {
    samples: samples as Record<keyof Samples, readonly Sample[]>,
    async stop(): Promise<void> {
      over.abort();
      await reading;
      for (const reader of readers) reader.close();
    },
  };
}

interface Place {
  invite: string;
  timelineId: string;
  path: string;
}

async function openPlace(origin: string): Promise<Place> {
  const address = '172.18.0.1';
  const credentials = { username: `reads-${v7().slice(-12)}`, password: v7() };
  const { cookie } = await signIn(origin, 'register', credentials, address);
  const owner = visit({ origin, cookie, address });
  const { server } = await owner.ask((wire) => wire.send('server:create', { name: 'Reading' }));
  const timelineId = server.defaultChannelId;
  const path = await shareFile(owner.visitor, timelineId, fileBytes);
  for (let n = 0; n < messages; n += 1) {
    const said = { timelineId, body: `Message ${n}`, id: v7() };
    await owner.ask((wire) => wire.send('message:send', said));
  }
  const { invite } = await owner.ask((wire) => wire.send('invite:create', { serverId: server.id }));
  owner.close();
  return { invite: invite.code, timelineId, path };
}

async function openReader(origin: string, address: string, { invite }: Place): Promise<Visiting> {
  const { cookie } = await signIn(origin, 'guest', { displayName: 'Reader' }, address);
  const guest = visit({ origin, cookie, address });
  await guest.ask((wire) => wire.send('server:join', { code: invite }));
  return guest;
}

const readFile = (visitor: Visitor, path: string) =>
  retryUntilAnswered(async () => {
    const status = await read(visitor, path).catch(() => 0);
    if (status === 0) throw new NoResponse('lost');
    if (status !== 200) throw new ChatError('busy', `The file was refused: ${status}.`);
  });

interface Visiting {
  visitor: Visitor;
  /** Repeats `work` until it is answered, on a new connection after a loss. */
  ask<T>(work: (wire: Wire) => Promise<T>): Promise<T>;
  close(): void;
}

function visit(visitor: Visitor): Visiting {
  let wire: Wire | undefined;
  return {
    visitor,
    ask: (work) =>
      retryUntilAnswered(async () => {
        if (wire?.isOpen !== true)
          wire = await open(visitor.origin, visitor.cookie, visitor.address);
        if (wire === undefined) throw new NoResponse('lost');
        return work(wire);
      }),
    close: () => wire?.close(),
  };
}
