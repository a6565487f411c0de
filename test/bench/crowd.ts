/** The crowd itself, which door.ts starts: guests who have come in by HTTP, each with a socket. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Socket } from 'socket.io-client';
import { v7 } from 'uuid';
import type { Input, Output, Result } from '../../shared/protocol.ts';
import { cookieOf, openSocket, post, type ClientSocket } from '../support/person.ts';
import type { Comings, Errand, Talk } from './door.ts';
import { Ears } from './ears.ts';
import { atPart, body, keepSaying, type Load } from './load.ts';
import { countPackets } from './packets.ts';
import type { Storm } from './storm.ts';

const sockets: ClientSocket[] = [];
const cookies: string[] = [];
const ears = new Ears();
let timelineIds: string[] = [];
let stopping = new AbortController();

// Ctrl-C is for all in the terminal; when to go is for the bench to say.
process.on('SIGINT', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (errand: Errand) => {
  if (errand.do === 'stop') stopping.abort();
  else void carryOut(errand).then((answer) => process.send?.(answer ?? 'done'));
});

async function carryOut(errand: Exclude<Errand, { do: 'stop' }>): Promise<unknown> {
  switch (errand.do) {
    case 'enter':
      timelineIds = errand.timelineIds;
      return enter(errand);
    case 'hear':
      return ears.hear(errand.deliveries).then(() => undefined);
    case 'keep saying':
      return sayFor(errand.load, errand.seconds);
    case 'converse':
      return converse(errand.talk, errand.seconds);
    case 'storm':
      return raise(errand.storm);
    case 'come':
      return come(errand.comings);
  }
}

/** Some at a time, as at any door. */
async function enter({ urls, people, join }: Extract<Errand, { do: 'enter' }>): Promise<void> {
  const inTurn = pLimit(8);
  const more = Array.from({ length: people - sockets.length }, (_, i) => sockets.length + i);
  await inTurn.map(more, async (i) => {
    const socket = await comeIn(of(urls, i), `Person ${i}`);
    for (const channelId of join) await ask(socket, 'channel:join', { channelId });
    sockets.push(socket);
  });
}

async function comeIn(url: string, displayName: string): Promise<ClientSocket> {
  const cookie = await signInAsGuest(url, displayName);
  cookies.push(cookie);
  const socket = openSocket(url, cookie);
  ears.listen(socket);
  await once(socket as never, 'ready');
  return socket;
}

async function signInAsGuest(url: string, displayName: string): Promise<string> {
  const response = await post(url, '/api/auth/guest', { displayName });
  if (!response.ok) throw new Error(await response.text());
  return cookieOf(response);
}

/** The next comes as soon as one is in. */
async function come({ how, url, together, seconds }: Comings) {
  const end = performance.now() + seconds * 1_000;
  const waits: number[] = [];
  const failures: unknown[] = [];
  const comeOnce = (i: number) =>
    how === 'back' ? comeBack(url, of(cookies, i)) : signInAsGuest(url, `Newcomer ${i}`);
  const keepComing = async (line: number) => {
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
  await Promise.all(Array.from({ length: together }, (_, line) => keepComing(line)));
  if (waits.length === 0) throw failures[0];
  return {
    came: waits.length,
    'p50 ms': atPart(waits, 0.5),
    'p99 ms': atPart(waits, 0.99),
    failed: failures.length,
  };
}

async function comeBack(url: string, cookie: string): Promise<void> {
  const socket = openSocket(url, cookie);
  await new Promise<void>((resolve, reject) => {
    socket.once('ready', () => resolve());
    socket.once('connect_error', reject);
    socket.once('disconnect', reject);
  }).finally(() => socket.disconnect());
}

async function ask<C extends 'channel:join' | 'message:send' | 'message:react'>(
  socket: ClientSocket,
  command: C,
  input: Input<C>,
): Promise<Output<C>> {
  // With a time-out, Socket.IO's types lose what the ack is of.
  const asked = (socket as Socket).timeout(15_000).emitWithAck(command, input);
  const result = (await asked) as Result<Output<C>>;
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

const say = async (sender: number, timelineId: string, id = v7()) =>
  (await ask(of(sockets, sender), 'message:send', { id, timelineId, body })).message;

function sayFor(load: Load, seconds: number) {
  stopping = new AbortController();
  const sayIn = (sender: number, timeline: number) => say(sender, of(timelineIds, timeline));
  return keepSaying(load, sayIn, seconds, stopping.signal);
}

/** Everybody speaks by turns, and everybody hears it. */
async function converse({ timelineId, perSecond }: Talk, seconds: number) {
  const began = performance.now();
  const count = Math.ceil(perSecond * seconds);
  const heard = ears.hear(count * sockets.length);
  const said: Promise<unknown>[] = [];
  for (let i = 0; i < count; i += 1) {
    await sleep(began + (i * 1_000) / perSecond - performance.now());
    const id = v7();
    ears.noteSaid(id);
    said.push(say(i, timelineId, id));
  }
  await Promise.all(said);
  const waits = await heard;
  return { 'p50 ms': atPart(waits, 0.5), 'p99 ms': atPart(waits, 0.99), heard: waits.length };
}

/** Everybody does one thing, and everybody hears of all of it. */
async function raise(storm: Storm) {
  const { timelineId } = storm;
  const packetsUpTo = countPackets(sockets, timelineId);
  const spoken = storm.do === 'say' ? ears.hear(sockets.length ** 2) : undefined;
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
  if (one === undefined) throw new Error('nobody, or nowhere');
  return one;
}
