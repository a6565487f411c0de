/**
 * Keeps what we hold of each room equal to what the server has. Starting, reconnecting and healing are one
 * path: say the version held, and take what is missing.
 */
import type { Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import { ChatError } from '../../shared/failure.ts';
import type { Input, Ready, RoomChanges } from '../../shared/protocol.ts';
import { roomSlices, splitRoom, userRoom, type Room, type RoomKind } from '../../shared/rooms.ts';
import { dropBeside, hearBeside } from '../session/ephemeral.ts';
import { waitBefore } from './backoff.ts';
import { bySlice, type Holder } from './changes.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { holders } from '../features.ts';
import { tell, tellMovedOut } from '../session/change-listeners.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { RoomHeld, type Question } from './room-replica.ts';
import { isOpen, send } from '../session/socket.ts';
import { syncsOf } from './batches.ts';

/** How long something early is held for its predecessor. */
const holdFor = 1_000;

interface Held {
  room: RoomHeld;
  /** It is being opened. */
  opening?: Promise<void> | undefined;
  timer?: ReturnType<typeof setTimeout> | undefined;
  /** How often in a row no answer came. */
  unanswered: number;
}

const rooms = new Map<Room, Held>();
/** Timelines that were left, for coming back. */
const left = new Map<Room, RoomHeld>();
/** Leavings that the server has not answered: coming back waits for them, or they might overtake it. */
const goodbyes = new Map<Room, Promise<unknown>>();
/** What the next `sync` asks for: all that is wanted in the same turn. */
let wanted: { rooms: Set<Room>; badges: boolean } | undefined;
let epoch = '';
let me: string | undefined;
/** Called when my own room is whole. */
let whenWhole: (() => void) | undefined;

/** How to open each kind of room. One's own opens with the connection. */
const open: Record<RoomKind, (id: string, held: RoomHeld) => Promise<Entry>> = {
  user: () => Promise.reject(new Error('My own room is entered by connecting.')),
  server: (serverId, held) =>
    send('server:open', { serverId, since: held.version, after: held.rest }),
  timeline: (id, { version: since }) =>
    conversations.get(id)
      ? send('conversation:open', { conversationId: id, since })
      : send('channel:join', { channelId: id, since }),
};

/** Changes, as they happen; of a timeline that was left, until the server has seen to it. */
export function happened(stretch: RoomChanges): void {
  for (const ready of kept(stretch.room)?.hear(stretch) ?? []) apply(ready, 'now');
  const held = rooms.get(stretch.room);
  if (held) waitForPredecessor(stretch.room, held);
  else if (left.has(stretch.room)) void sayGoodbye(stretch.room);
}

/** What is held of a room that I am in, or have left. */
const kept = (room: Room): RoomHeld | undefined => rooms.get(room)?.room ?? left.get(room);

/** What I hold of a room, if I am in it. */
export const heldOf = (room: Room): RoomHeld | undefined => rooms.get(room)?.room;

/** The server says how far a room is. `null`: I was moved out of it. */
export function told(room: Room, version: number | null): void {
  if (version === null) {
    tellMovedOut(room);
    letGo(room);
  } else if (rooms.get(room)?.room.hearHead(version)) heal([room]);
}

/** The first thing after connecting. What is held of another life of the database, or of another me, is let go. */
export function begin(ready: Ready, whole: () => void): void {
  const entered = ready.you.id === me ? [...rooms.keys()] : [];
  if (ready.epoch !== epoch || ready.you.id !== me) forget();
  // Where I was I am to be again, with nothing held.
  for (const room of entered) hold(room);
  epoch = ready.epoch;
  me = ready.you.id;
  whenWhole = whole;
  reads.begin(ready);
  const mine = hold(ready.room);
  mine.room.ask();
  receive(mine, ready);
  mine.room.settle();
  waitForPredecessor(ready.room, mine);
  heal(entered.filter((room) => room !== ready.room));
  if (reads.rest !== undefined) heal([ready.room], 'and badges');
}

export function forget(): void {
  for (const room of [...rooms.keys(), ...left.keys()]) letGo(room);
  reads.forget();
}

/** Opens a room, or comes back to it. Rejects with the server's refusal, or when there is no answer. */
export function enter(room: Room): Promise<void> {
  const held = hold(room);
  held.opening ??= question(room, held).finally(() => {
    held.opening = undefined;
    waitForPredecessor(room, held);
  });
  return held.opening;
}

/** Stops hearing a timeline but keeps what was heard: coming back asks only for what is new. */
export function leave(timelineId: string): void {
  const room: Room = `timeline:${timelineId}`;
  const held = rooms.get(room);
  if (!held) return;
  clearTimeout(held.timer);
  rooms.delete(room);
  left.set(room, held.room);
  if (isOpen()) void sayGoodbye(room);
}

/** Once more, if it is heard of again: the server may not have understood. */
async function sayGoodbye(room: Room): Promise<void> {
  if (goodbyes.has(room)) return;
  const { id } = splitRoom(room);
  const closing = conversations.get(id)
    ? send('conversation:close', { conversationId: id })
    : send('channel:leave', { channelId: id });
  const goodbye = closing.catch(() => undefined);
  goodbyes.set(room, goodbye);
  await goodbye;
  goodbyes.delete(room);
}

/** Catches up with rooms, and tries again as long as no answer comes. */
export function heal(some: Iterable<Room>, what?: 'and badges'): void {
  if (!wanted) queueMicrotask(askWanted);
  wanted ??= { rooms: new Set(), badges: false };
  for (const room of some) wanted.rooms.add(room);
  if (what) wanted.badges = true;
}

export const healAll = (what?: 'and badges') => {
  heal(rooms.keys(), what);
};

function hold(room: Room): Held {
  const held = rooms.get(room);
  if (held) return held;
  const fresh: Held = { room: left.get(room) ?? new RoomHeld(), unanswered: 0 };
  left.delete(room);
  rooms.set(room, fresh);
  return fresh;
}

async function question(room: Room, held: Held): Promise<void> {
  await goodbyes.get(room);
  if (rooms.get(room) !== held) return;
  const { kind, id } = splitRoom(room);
  stopWaiting(held);
  held.room.ask();
  try {
    do {
      const entry = await open[kind](id, held.room);
      if (kept(room) === held.room) receive(held, entry);
    } while (held.room.rest !== undefined && kept(room) === held.room);
  } finally {
    held.room.settle();
  }
}

function askWanted(): void {
  const { rooms: asked = [], badges = false } = wanted ?? {};
  wanted = undefined;
  const questions: [Room, Question][] = [];
  for (const room of asked) {
    const held = rooms.get(room);
    if (!held || held.opening || held.room.isAsked) continue;
    if (held.room.question) questions.push([room, held.room.question]);
    else reopen(room);
  }
  const syncs = syncsOf(questions);
  if (badges && syncs[0]) {
    const which = reads.ask();
    if (which !== undefined) syncs[0].badges = which;
  }
  for (const sync of syncs) void synchronize(sync);
}

function reopen(room: Room): void {
  enter(room).catch((error: unknown) => {
    const held = rooms.get(room);
    if (error instanceof ChatError && error.code === 'not_found') letGo(room);
    else if (held) askAgain(room, held);
  });
}

async function synchronize(sync: Input<'sync'>): Promise<void> {
  const asked = new Map<Room, Held>();
  for (const room of Object.keys(sync.rooms) as Room[]) {
    const held = rooms.get(room);
    if (held) asked.set(room, held);
    held?.room.ask();
    if (held) stopWaiting(held);
  }
  const answer = await send('sync', sync).catch(() => undefined);
  if (answer && answer.epoch !== epoch) adopt(answer.epoch, asked);
  if (sync.badges) reads.answer(answer);
  // What ended comes last: what tells of its end, in other rooms, still finds its name.
  const entries = answer?.rooms.toSorted((a, b) => +(a.status === 'gone') - +(b.status === 'gone'));
  for (const entry of entries ?? []) {
    const held = asked.get(entry.room);
    if (!held || kept(entry.room) !== held.room) continue;
    if (entry.status === 'later') held.room.postpone(epoch);
    else receive(held, entry);
  }
  heal(
    entries?.flatMap(({ status, room }) => (status === 'later' ? [room] : [])) ?? [],
    reads.rest === undefined ? undefined : 'and badges',
  );
  for (const [room, held] of asked) {
    held.room.settle();
    if (answer) waitForPredecessor(room, held);
    else askAgain(room, held, sync.badges ? 'and badges' : undefined);
  }
}

/** A server that was busy has let us into no room yet: of what happens there it will not tell by itself. */
function askAgain(room: Room, held: Held, what?: 'and badges'): void {
  if (rooms.get(room) !== held) return;
  held.timer ??= setTimeout(missing, waitBefore(held.unanswered), room, held, what);
  held.unanswered += 1;
}

/** The database has begun another life: what was not asked with this answer is asked now, and comes whole. */
function adopt(another: string, asked: ReadonlyMap<Room, Held>): void {
  epoch = another;
  reads.forget();
  for (const room of left.keys()) letGo(room);
  const others = [...rooms].filter(([room]) => !asked.has(room));
  for (const [, held] of others) held.room.distrust();
  heal(
    others.map(([room]) => room),
    'and badges',
  );
}

function receive(held: Held, entry: Entry): void {
  if (entry.status === 'gone') {
    letGo(entry.room);
    return;
  }
  held.unanswered = 0;
  const { snapshot, changes } = held.room.answer(entry, epoch);
  if (entry.status === 'snapshot' && !snapshot) {
    heal([entry.room]);
    return;
  }
  hearBeside(snapshot ?? entry, held.room);
  if (snapshot) {
    people.hear(snapshot.people);
    replace(snapshot.room, snapshot.state);
  }
  for (const stretch of changes) apply(stretch, 'missed');
  if (snapshot && held === rooms.get(userRoom(me ?? ''))) {
    whenWhole?.();
    whenWhole = undefined;
  }
  waitForPredecessor(entry.room, held);
}

function waitForPredecessor(room: Room, held: Held): void {
  if (!held.room.lacks || rooms.get(room) !== held) stopWaiting(held);
  else held.timer ??= setTimeout(missing, holdFor, room, held);
}

function missing(room: Room, held: Held, what?: 'and badges'): void {
  held.timer = undefined;
  heal([room], what);
}

function stopWaiting(held: Held): void {
  clearTimeout(held.timer);
  held.timer = undefined;
}

function apply({ room, changes, people: heard }: RoomChanges, when: 'now' | 'missed'): void {
  people.hear(heard);
  for (const change of changes) tell(room, change, when);
  for (const [slice, part] of bySlice(changes)) (holders[slice] as Holder<Row>).apply(room, part);
}

function replace(room: Room, state: Partial<Record<string, Row[]>>): void {
  for (const slice of roomSlices[splitRoom(room).kind])
    (holders[slice] as Holder<Row>).replace(room, state[slice] ?? []);
}

/** The room is no longer ours: nothing of it stays. */
export function letGo(room: Room): void {
  clearTimeout(rooms.get(room)?.timer);
  rooms.delete(room);
  left.delete(room);
  dropBeside(room);
  for (const slice of roomSlices[splitRoom(room).kind]) holders[slice].drop(room);
}
