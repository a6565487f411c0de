/**
 * Keeps what we hold of each room equal to what the server has. Starting, reconnecting and healing are one
 * path: enter the room with the version held, and take what is missing.
 */
import type { Row } from '../shared/changes.ts';
import type { Entry } from '../shared/entry.ts';
import { ChatError } from '../shared/failure.ts';
import type { Ready, RoomChanges } from '../shared/protocol.ts';
import { roomSlices, splitRoom, type Room, type RoomKind } from '../shared/rooms.ts';
import { bySlice, type Holder } from './changes.ts';
import { connection } from './connection/connection.svelte.ts';
import { holders } from './features.ts';
import { Gate } from './gate.ts';
import { tell } from './listening.ts';
import { people } from './people/people.svelte.ts';
import { presence } from './presence/presence.svelte.ts';
import { isOpen, send } from './socket.ts';

/** How long something early is held for its predecessor. */
const holdFor = 1_000;

interface Held {
  gate: Gate<RoomChanges>;
  /** An answer is on its way. */
  asking?: Promise<void> | undefined;
  timer?: ReturnType<typeof setTimeout> | undefined;
}

const rooms = new Map<Room, Held>();
/** The version at which a timeline was left, for coming back. */
const left = new Map<Room, number | undefined>();
/** Leavings that the server has not answered: coming back waits for them, or they might overtake it. */
const goodbyes = new Map<Room, Promise<void>>();
let epoch: string | undefined;
let me: string | undefined;

/** How to ask for each kind of room. One's own is entered by connecting, and in no other way. */
const ask: Record<RoomKind, (id: string, since: number | undefined) => Promise<Entry | undefined>> =
  {
    user: () => {
      if (isOpen()) connection.reconnect();
      return Promise.resolve(undefined);
    },
    server: (serverId, since) => send('server:open', { serverId, since }),
    timeline: (channelId, since) => send('channel:join', { channelId, since }),
  };

/** What is held of a room; `undefined` when nothing is. */
export const versionOf = (room: Room) => rooms.get(room)?.gate.version;

/** Changes, as they happen. */
export function happened(stretch: RoomChanges): void {
  const held = rooms.get(stretch.room);
  if (held) take(held, stretch, 'now');
}

/** The first thing after connecting. What is held of another life of the database, or of another me, is let go. */
export function begin(ready: Ready): void {
  const entered = ready.you.id === me ? [...rooms.keys()] : [];
  if (ready.epoch !== epoch || ready.you.id !== me) forget();
  epoch = ready.epoch;
  me = ready.you.id;
  const others = entered.filter((room) => room !== ready.room);
  const held = hold(ready.room);
  held.gate.close();
  receive(held, ready, undefined);
  for (const room of others) void heal(room);
}

export function forget(): void {
  for (const room of [...rooms.keys(), ...left.keys()]) letGo(room);
}

/** Enters a room, or catches up with it. Rejects with the server's refusal, or when there is no answer. */
export function enter(room: Room): Promise<void> {
  const held = hold(room);
  clearTimeout(held.timer);
  held.timer = undefined;
  held.asking ??= question(room, held).finally(() => {
    held.asking = undefined;
    waitForPredecessor(room, held);
  });
  return held.asking;
}

/** Stops hearing a timeline but keeps what was heard: coming back asks only for what is new. */
export async function leave(timelineId: string): Promise<void> {
  const room: Room = `timeline:${timelineId}`;
  const held = rooms.get(room);
  if (!held) return;
  clearTimeout(held.timer);
  rooms.delete(room);
  left.set(room, held.gate.version);
  if (!isOpen()) return;
  const goodbye = send('channel:leave', { channelId: timelineId }).then(
    () => undefined,
    () => undefined,
  );
  goodbyes.set(room, goodbye);
  await goodbye;
  if (goodbyes.get(room) === goodbye) goodbyes.delete(room);
}

function hold(room: Room): Held {
  const held = rooms.get(room);
  if (held) return held;
  const fresh: Held = { gate: new Gate() };
  const version = left.get(room);
  if (version !== undefined) fresh.gate.enter(version);
  left.delete(room);
  rooms.set(room, fresh);
  return fresh;
}

async function question(room: Room, held: Held): Promise<void> {
  await goodbyes.get(room);
  const { kind, id } = splitRoom(room);
  const since = held.gate.version;
  const entry = await ask[kind](id, since);
  if (entry && rooms.get(room) === held) receive(held, entry, since);
}

/** Catches up unasked. When that fails for want of an answer, the next `ready`, `head` or look tries again. */
export const heal = (room: Room) =>
  enter(room).catch((error: unknown) => {
    if (error instanceof ChatError && error.code === 'not_found') letGo(room);
  });

export function healAll(): void {
  for (const room of rooms.keys()) if (splitRoom(room).kind !== 'user') void heal(room);
}

function receive(held: Held, entry: Entry, since: number | undefined): void {
  if (entry.status === 'gone') {
    letGo(entry.room);
    return;
  }
  if (entry.presence) presence.hear(entry.room, entry.presence, 'whole');
  if (entry.status === 'changes') take(held, { ...entry, to: entry.version }, 'missed');
  else if (entry.status === 'snapshot' && !isOverrun(held, entry.version, since)) {
    people.hear(entry.people);
    replace(entry.room, entry.state);
    for (const stretch of held.gate.enter(entry.version)) apply(stretch, 'missed');
  }
}

/** Whether changes came while the snapshot was on its way and have led us past it. */
const isOverrun = ({ gate }: Held, version: number, since: number | undefined) =>
  since !== undefined && since <= version && version < (gate.version ?? 0);

function take(held: Held, stretch: RoomChanges, when: 'now' | 'missed'): void {
  for (const ready of held.gate.hear(stretch)) apply(ready, when);
  waitForPredecessor(stretch.room, held);
}

function waitForPredecessor(room: Room, held: Held): void {
  if (!held.gate.waits) {
    clearTimeout(held.timer);
    held.timer = undefined;
  } else if (!held.asking && rooms.get(room) === held) {
    held.timer ??= setTimeout(() => void heal(room), holdFor);
  }
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
  presence.drop(room);
  for (const slice of roomSlices[splitRoom(room).kind]) holders[slice].drop(room);
}
