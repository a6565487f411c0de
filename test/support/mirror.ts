/**
 * What a client holds, kept by the client's own rules (client/sync/room-replica.ts, client/sync/rows.ts) from what one person's
 * socket hears: so that it can be compared with what a fresh client is given.
 */
import { expect } from 'chai';
import type { Change, Row } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import type { Message } from '../../shared/messages.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import {
  changeShapes,
  roomSlices,
  sliceKeys,
  splitRoom,
  timelineRoom,
  userRoom,
} from '../../shared/rooms.ts';
import type { Room, RoomKind, SliceName } from '../../shared/rooms.ts';
import { RoomReplica } from '../../client/sync/room-replica.ts';
import { emptySlice, remove, replaceAll, upsert, type Slice } from '../../client/sync/rows.ts';
import type { Person } from './person.ts';
import { patience, stopwatch } from './time.ts';

type Rows = Record<string, Row[]>;
interface Held {
  room: RoomReplica;
  slices: Map<SliceName, Slice<Row>>;
  /** The first position of a timeline that is held; as in the client's window, nothing older is. */
  from: number;
}

export class Mirror {
  person: Person;
  readonly rooms = new Map<Room, Held>();
  /** Everything that was applied, in that order. */
  readonly changes: Change[] = [];
  #epoch: string;

  constructor(person: Person) {
    this.person = person;
    this.#epoch = person.ready.epoch;
    this.#listen();
    this.#take(person.ready);
    for (const stretch of person.heard('changes')) this.#hear(stretch);
  }

  get userRoom() {
    return userRoom(this.person.id);
  }

  /** Enters a room, or comes back to it. */
  async open(room: Room): Promise<void> {
    const held = this.#hold(room);
    held.room.requestStarted();
    try {
      do {
        const entry = await ask(this.person, room, held.room);
        // It may have been lost while the answer was on its way.
        if (this.rooms.get(room) === held) this.#take(entry);
      } while (held.room.rest !== undefined && this.rooms.get(room) === held);
    } catch (error) {
      this.rooms.delete(room);
      throw error;
    } finally {
      held.room.requestEnded();
    }
  }

  /** Another socket in place of one that was lost: says what is held, and takes what is missing. */
  async comeBack(person: Person): Promise<void> {
    this.person = person;
    this.#listen();
    const held = [...this.rooms.keys()].filter((room) => room !== this.userRoom);
    if (person.ready.epoch !== this.#epoch) this.rooms.delete(this.userRoom);
    this.#take(person.ready);
    await this.sync(held);
  }

  /** Says what is held of these rooms. */
  async sync(rooms: Room[] = [...this.rooms.keys()]): Promise<void> {
    const asked = rooms.flatMap((room) => {
      const held = this.rooms.get(room);
      const question = held?.room.cursor;
      return held && question && !held.room.isRequested ? [{ room, held, question }] : [];
    });
    const [first] = asked;
    if (first === undefined) return;
    let later: Room[];
    for (const { held } of asked) held.room.requestStarted();
    try {
      const versions = asked.map(({ room, question }) => [room, question.version] as const);
      const ends = asked.flatMap(({ room, question: { after } }) => (after ? [[room, after]] : []));
      const answer = await this.person.send('sync', {
        epoch: first.question.epoch,
        rooms: Object.fromEntries(versions) as Record<Room, number>,
        after: Object.fromEntries(ends) as Record<Room, string>,
      });
      this.#epoch = answer.epoch;
      for (const { room, held } of asked) {
        const entry = answer.rooms.find((one) => one.room === room);
        if (!entry || this.rooms.get(room) !== held) continue;
        if (entry.status === 'later') continue;
        this.#take(entry);
      }
      later = answer.rooms.flatMap(({ status, room }) =>
        status === 'later' || this.rooms.get(room)?.room.rest !== undefined ? [room] : [],
      );
    } finally {
      for (const { held } of asked) held.room.requestEnded();
    }
    await this.sync(later);
  }

  /** Takes what an ack brought, which may be older than what was heard since. It moves no version. */
  confirm(message: Message): void {
    const held = this.rooms.get(timelineRoom(message.timelineId));
    const slice = held?.slices.get('messages');
    if (slice) upsert(slice, message.id, message);
  }

  /** What is held of a room, as a state: each slice's rows by their keys. */
  state(room: Room): Rows | undefined {
    const held = this.rooms.get(room);
    if (held === undefined) return undefined;
    return sorted([...held.slices].map(([name, { rows }]) => [name, [...rows.values()]] as const));
  }

  /** Waits until everything held is as a fresh client gets it; fails after a long time showing the difference. */
  async becomesTrue(): Promise<void> {
    const took = stopwatch();
    for (;;) {
      const differing = await this.#difference();
      if (differing === undefined) return;
      if (took() > patience) expect(differing.held, differing.room).to.deep.equal(differing.fresh);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #difference() {
    const other = await this.person.again();
    try {
      for (const room of [...this.rooms.keys()]) {
        const held = this.state(room);
        const fresh = await freshState(other, room, held?.messages);
        if (JSON.stringify(held) !== JSON.stringify(fresh)) return { room, held, fresh };
      }
      return undefined;
    } finally {
      other.close();
    }
  }

  #listen() {
    const { socket } = this.person;
    socket.on('changes', (stretch) => this.#hear(stretch));
    socket.on('head', ({ room, version }) => {
      if (version === null) this.rooms.delete(room);
      else if (this.rooms.get(room)?.room.receiveHead(version)) void this.#heal(room);
    });
  }

  #hear(stretch: RoomChanges) {
    const held = this.rooms.get(stretch.room);
    if (held === undefined) return;
    for (const ready of held.room.receive(stretch)) this.#apply(held, ready);
    if (held.room.hasGap)
      setTimeout(() => {
        if (held.room.hasGap) void this.#heal(stretch.room);
      }, 1_000);
  }

  /** A socket that is closed meanwhile heals when it comes back. */
  #heal = (room: Room) => this.sync([room]).catch(() => undefined);

  #hold(room: Room): Held {
    const known = this.rooms.get(room);
    if (known) return known;
    const { kind } = splitRoom(room);
    const slices = new Map(roomSlices[kind].map((name: SliceName) => [name, emptySlice<Row>()]));
    const held = { room: new RoomReplica(), slices, from: 1 };
    this.rooms.set(room, held);
    return held;
  }

  #take(entry: Entry) {
    if (entry.status === 'gone') return void this.rooms.delete(entry.room);
    const held = this.#hold(entry.room);
    const { snapshot, changes } = held.room.answer(entry, this.person.ready.epoch);
    if (held.room.rest !== undefined && !held.room.isRequested) void this.#heal(entry.room);
    if (snapshot)
      for (const [name, slice] of held.slices) {
        const rows = (snapshot.state as Rows)[name] ?? [];
        if (name === 'messages' && rows.length > 0) held.from = firstOf(rows);
        replaceAll(
          slice,
          rows.map((row) => [keyOf(name, row), row] as const),
        );
      }
    for (const stretch of changes) this.#apply(held, stretch);
  }

  #apply({ slices, from }: Held, { changes }: RoomChanges) {
    for (const change of changes) {
      this.changes.push(change);
      const shape = changeShapes[change.type];
      const slice = slices.get(shape.slice);
      const fields = change as unknown as Record<string, unknown>;
      if (slice === undefined) continue;
      if ('row' in shape) {
        const row = fields[shape.row] as Row;
        if (shape.slice === 'messages' && (row as Message).position < from) continue;
        upsert(slice, keyOf(shape.slice, row), row);
      } else remove(slice, fields[shape.gone] as string, change.version);
    }
  }
}

/** Each of a room's changes was applied once, and none after a later one. */
export function expectOnceInOrder(applied: Change[]): void {
  const versions = applied.map(({ version }) => version);
  expect(versions).to.deep.equal([...new Set(versions)].sort((a, b) => a - b));
}

/**
 * What a socket that holds nothing is given, of a timeline as much as is `held`: the newest messages, and
 * pages of those before. Nothing if the room is not there for it.
 */
export async function freshState(
  person: Person,
  room: Room,
  held: Row[] = [],
): Promise<Rows | undefined> {
  const { kind, id } = splitRoom(room);
  const entry = kind === 'user' ? person.ready : await ask(person, room).catch(() => undefined);
  if (entry?.status !== 'snapshot') return undefined;
  const state: Rows = { ...entry.state };
  for (let { more: rest } = entry; rest !== undefined;) {
    const part = await ask(person, room, { rest });
    if (part.status !== 'snapshot') return undefined;
    for (const [name, rows] of Object.entries<Row[]>(part.state))
      state[name] = [...(state[name] ?? []), ...rows];
    rest = part.more;
  }
  if (state.messages) state.messages = await reachingBack(person, id, state.messages, held);
  return sorted(Object.entries(state));
}

const firstOf = (rows: Row[]) =>
  Math.min(...rows.map((row) => ('position' in row ? row.position : 0)));

/** The newest of a timeline, and of what is older as much as is held. */
async function reachingBack(
  person: Person,
  timelineId: string,
  newest: Row[],
  held: Row[],
): Promise<Row[]> {
  let rows = newest;
  while (held.length > 0 && rows.length > 0 && firstOf(rows) > firstOf(held)) {
    const before = firstOf(rows);
    const { messages } = await person.send('message:list', { timelineId, before, limit: 100 });
    rows = [...messages.filter(({ position }) => position >= firstOf(held)), ...rows];
  }
  return rows;
}

function ask(
  person: Person,
  room: Room,
  { version: since, rest }: { version?: number | undefined; rest?: string | undefined } = {},
): Promise<Entry> {
  const { kind, id } = splitRoom(room);
  const ways: Record<RoomKind, () => Promise<Entry>> = {
    user: async () => {
      if (rest === undefined) return person.ready;
      const { epoch } = person.ready;
      const asked = { epoch, rooms: { [room]: 0 }, after: { [room]: rest } };
      const [entry] = (await person.send('sync', asked)).rooms;
      return entry === undefined || entry.status === 'later' ? { status: 'gone', room } : entry;
    },
    server: () => person.send('server:open', { serverId: id, since, after: rest }),
    timeline: () =>
      person
        .send('channel:join', { channelId: id, since })
        .catch(() => person.send('conversation:open', { conversationId: id, since })),
  };
  return ways[kind]();
}

const keyOf = (slice: SliceName, row: Row) =>
  (row as unknown as Record<string, string>)[sliceKeys[slice]] ?? '';

const sorted = (slices: (readonly [string, Row[]])[]): Rows =>
  Object.fromEntries(
    slices.map(([name, rows]) => [
      name,
      rows
        .map((row) => Object.fromEntries(Object.entries(row).sort()) as unknown as Row)
        .sort((a, b) => keyOf(name as SliceName, a).localeCompare(keyOf(name as SliceName, b))),
    ]),
  );
