/** The crowd that load-process.ts starts: guests who have signed in by HTTP, each with a socket. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { v7 } from 'uuid';
import type { Entry } from '../../shared/entry.ts';
import type { Ready, Refusal } from '../../shared/protocol.ts';
import { cookieOf, openSocket, post, type ClientSocket } from '../support/person.ts';
import { ask } from './asking.ts';
import type { Arrivals, LoadCommand, MessageRate } from './load-process.ts';
import { Receivers } from './receivers.ts';
import { atPart, body, keepSaying, type BenchLoad } from './load.ts';
import { countPackets } from './packets.ts';
import { stay } from './returning.ts';
import type { Storm } from './storm.ts';
import { transferFor } from './transfers.ts';
import { uploadFor } from './uploading.ts';

const sockets: ClientSocket[] = [];
const cookies: string[] = [];
/** The rooms of each socket, with their versions at that time. */
const held = new WeakMap<ClientSocket, Record<string, number>>();
const receivers = new Receivers();
let timelineIds: string[] = [];
let stopping = new AbortController();

// Ctrl-C signals all processes in the terminal, but the bench decides when this one ends.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (errand: LoadCommand) => {
  if (errand.do === 'stop') stopping.abort();
  else void carryOut(errand).then((answer) => process.send?.(answer ?? 'done'));
});

async function carryOut(errand: Exclude<LoadCommand, { do: 'stop' }>): Promise<unknown> {
  switch (errand.do) {
    case 'enter':
      timelineIds = errand.timelineIds;
      return enter(errand);
    case 'receive':
      return receivers.receive(errand.deliveries).then(() => undefined);
    case 'keep saying':
      return sayFor(errand.load, errand.seconds);
    case 'converse':
      return converse(errand.talk, errand.seconds);
    case 'talk':
      return talk(errand.talk);
    case 'upload':
      return uploadFor(sockets, errand.uploads, errand.seconds);
    case 'transfer':
      return transferFor(errand.transfer, errand.seconds);
    case 'storm':
      return runStorm(errand.storm);
    case 'come back':
      return comeBack(errand.timelineId);
    case 'come':
      return come(errand.arrivals);
  }
}

async function enter({ urls, people, join }: Extract<LoadCommand, { do: 'enter' }>): Promise<void> {
  const inTurn = pLimit(8);
  const more = Array.from({ length: people - sockets.length }, (_, i) => sockets.length + i);
  await inTurn.map(more, async (i) => {
    const { socket, ready } = await openGuest(of(urls, i), `Person ${i}`);
    const rooms: Record<string, number> = {};
    for (const channelId of join) {
      const { room, version } = entered(await ask(socket, 'channel:join', { channelId }));
      rooms[room] = version;
    }
    for (const { id: serverId } of join.length === 0 ? [] : serversIn(ready)) {
      const { room, version } = entered(await ask(socket, 'server:open', { serverId }));
      rooms[room] = version;
    }
    socket.on('changes', ({ room, to }) => {
      if (room in rooms) rooms[room] = to;
    });
    held.set(socket, rooms);
    sockets.push(socket);
  });
}

async function openGuest(url: string, displayName: string) {
  const cookie = await signInAsGuest(url, displayName);
  cookies.push(cookie);
  const socket = openSocket(url, cookie);
  receivers.listen(socket);
  const [ready] = (await once(socket as never, 'ready')) as [Ready];
  return { socket, ready };
}

const serversIn = (ready: Ready) => (ready.status === 'snapshot' ? ready.state.servers : []);

function entered(entry: Entry) {
  if (entry.status === 'gone') throw new Error(`${entry.room} is gone`);
  return entry;
}

async function signInAsGuest(url: string, displayName: string): Promise<string> {
  const response = await post(url, '/api/auth/guest', { displayName });
  if (!response.ok) throw new Error(await response.text());
  return cookieOf(response);
}

async function come({ how, url, together, seconds }: Arrivals) {
  const end = performance.now() + seconds * 1_000;
  const waits: number[] = [];
  const failures: unknown[] = [];
  const comeOnce = (i: number) =>
    how === 'back' ? connectOnce(url, of(cookies, i)) : signInAsGuest(url, `Newcomer ${i}`);
  const arriveUntilStopped = async (line: number) => {
    for (let i = line; performance.now() < end; i += together) {
      const began = performance.now();
      try {
        await comeOnce(i);
        waits.push(performance.now() - began);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: together }, (_, line) => arriveUntilStopped(line)));
  if (waits.length === 0) throw failures[0];
  return {
    came: waits.length,
    'p50 ms': atPart(waits, 0.5),
    'p99 ms': atPart(waits, 0.99),
    failed: failures.length,
  };
}

/** Disconnects all but the first few. Each reconnects at some moment of the next second, as the client does. */
async function comeBack(timelineId: string) {
  const [staying, cut] = [sockets.slice(0, stay), sockets.slice(stay)];
  const waits: number[] = [];
  const over = new AbortController();
  const talking = (async () => {
    for (let i = 0; !over.signal.aborted; i += 1) {
      const asked = performance.now();
      void say(i % staying.length, timelineId).then(() => waits.push(performance.now() - asked));
      await sleep(50);
    }
  })();
  for (const socket of cut) socket.io.engine.close();
  const began = performance.now();
  const refused = await Promise.all(
    cut.map(async (socket) => {
      await sleep(Math.random() * 1_000);
      return comeBackAs(socket);
    }),
  );
  const took = performance.now() - began;
  over.abort();
  await talking;
  return {
    seconds: took / 1_000,
    'p50 ms': atPart(waits, 0.5),
    'p99 ms': atPart(waits, 0.99),
    refused: refused.reduce((sum, one) => sum + one, 0),
  };
}

/** Returns the number of refusals until the socket has its server and channel again. */
async function comeBackAs(socket: ClientSocket): Promise<number> {
  for (let refused = 0; ; refused += 1) {
    const answer = await connectAgain(socket);
    if ('epoch' in answer) {
      await ask(socket, 'sync', { epoch: answer.epoch, rooms: held.get(socket) ?? {} });
      return refused;
    }
    await sleep((answer.retryAfterMs ?? 1_000) * (1 + Math.random()));
  }
}

const connectAgain = (socket: ClientSocket): Promise<Ready | Partial<Refusal>> =>
  new Promise((resolve) => {
    const settle = (answer: Ready | Partial<Refusal>) => {
      socket.off('ready', settle).off('connect_error', refuse);
      resolve(answer);
    };
    const refuse = (error: Error) => settle((error as { data?: Refusal }).data ?? {});
    socket.on('ready', settle).on('connect_error', refuse).connect();
  });

async function connectOnce(url: string, cookie: string): Promise<void> {
  const socket = openSocket(url, cookie);
  await new Promise<void>((resolve, reject) => {
    socket.once('ready', () => resolve());
    socket.once('connect_error', reject);
    socket.once('disconnect', reject);
  }).finally(() => socket.disconnect());
}

const say = async (sender: number, timelineId: string, id = v7()) =>
  (await ask(of(sockets, sender), 'message:send', { id, timelineId, body })).message;

function sayFor(load: BenchLoad, seconds: number) {
  stopping = new AbortController();
  const sayIn = (sender: number, timeline: number) => say(sender, of(timelineIds, timeline));
  return keepSaying(load, sayIn, seconds, stopping.signal);
}

async function talk({ timelineId, perSecond }: MessageRate) {
  const { signal } = (stopping = new AbortController());
  const waits: number[] = [];
  const said: Promise<unknown>[] = [];
  const began = performance.now();
  for (let i = 0; !signal.aborted; i += 1) {
    await sleep(began + (i * 1_000) / perSecond - performance.now());
    const asked = performance.now();
    said.push(say(i, timelineId).then(() => waits.push(performance.now() - asked)));
  }
  await Promise.all(said);
  return {
    'p50 ms': atPart(waits, 0.5),
    'p95 ms': atPart(waits, 0.95),
    'p99 ms': atPart(waits, 0.99),
    acked: waits.length,
  };
}

async function converse({ timelineId, perSecond }: MessageRate, seconds: number) {
  const began = performance.now();
  const count = Math.ceil(perSecond * seconds);
  const received = receivers.receive(count * sockets.length);
  const said: Promise<unknown>[] = [];
  for (let i = 0; i < count; i += 1) {
    await sleep(began + (i * 1_000) / perSecond - performance.now());
    const id = v7();
    receivers.noteSaid(id);
    said.push(say(i, timelineId, id));
  }
  await Promise.all(said);
  const waits = await received;
  return { 'p50 ms': atPart(waits, 0.5), 'p99 ms': atPart(waits, 0.99), received: waits.length };
}

async function runStorm(storm: Storm) {
  const { timelineId } = storm;
  const packetsUpTo = countPackets(sockets, timelineId);
  const spoken = storm.do === 'say' ? receivers.receive(sockets.length ** 2) : undefined;
  const waits: number[] = [];
  const versions = await Promise.all(
    sockets.map(async (socket, i) => {
      await sleep((i * 1_000) / sockets.length);
      const asked = performance.now();
      const { version } =
        storm.do === 'say'
          ? await say(i, timelineId)
          : await ask(socket, 'message:react', {
              messageId: storm.messageId,
              emoji: '🎉',
              on: true,
            });
      waits.push(performance.now() - asked);
      return version;
    }),
  );
  const packets = await packetsUpTo(Math.max(...versions));
  await spoken;
  return {
    'packets each': packets / sockets.length,
    'p50 ms': atPart(waits, 0.5),
    'p99 ms': atPart(waits, 0.99),
  };
}

function of<T>(all: T[], index: number): T {
  const one = all[index % all.length];
  if (one === undefined) throw new Error('the list is empty');
  return one;
}
