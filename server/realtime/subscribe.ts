/**
 * The one way into a room. Read the right, join, and only then read the state: whatever is committed after
 * the reading is heard, whatever was committed before is read, and nothing falls between. No departure slips
 * by: the join counts only if this node has carried out just those that the right knew of, and the
 * state only if there have been no others since.
 */
import type { Change } from '../../shared/changes.ts';
import type { Entry } from '../../shared/entry.ts';
import { notFound } from '../../shared/failure.ts';
import type { People } from '../../shared/people.ts';
import { personIdsInChange } from '../../shared/person-ids.ts';
import { splitRoom, type Room, type RoomKind, type RoomOf } from '../../shared/rooms.ts';
import { peopleIn } from '../accounts/people.ts';
import type { App } from '../app.ts';
import type { Caller, ChatSocket } from '../command.ts';
import { query, snapshot, type Db } from '../database/database.ts';
import { admissions, beside, histories } from '../features.ts';
import { noteListener } from './version-check.ts';
import { noteJoin, readMark, upTo } from './access-version.ts';
import type { Mark } from './node-messages.ts';
import { readPart } from './parts.ts';

/** What the caller holds of a room: its state at a version, or part of it up to a row. */
export interface Holding {
  since?: number | undefined;
  after?: string | undefined;
}

/** What must hold before a room is even looked for: that there is one of the kind that was named. */
type Condition = () => Promise<unknown>;

/**
 * Enters `room` on the caller's socket and answers with its state, or with what the caller does not hold of it. A caller without a socket (the gateway) only reads.
 * @throws ChatError not_found, for what does not exist and for what the caller may not see
 */
export const enter = <K extends RoomKind>(
  caller: Caller,
  room: RoomOf<K>,
  holding: Holding = {},
  condition?: Condition,
): Promise<Entry<K>> =>
  inTurn(caller, [room], async () => {
    await condition?.();
    const answer = await prepare(caller, room, holding);
    if (!isIn(caller, room)) throw notFound();
    return answer();
  });

/** Leaves `room` on the caller's socket: whatever becomes of the answer, that needs no right. */
export const exit = (caller: Caller, room: Room, condition: Condition): Promise<void> =>
  inTurn(caller, [room], async () => {
    await caller.socket?.leave(room);
    await condition();
  });

/** What is under way on one socket, by the rooms that it concerns: the last that was asked. */
export type Turns = Map<Room, Promise<unknown>>;

/**
 * Does what one socket asks about a room in the order in which it was asked: who leaves while they are coming
 * in is out afterwards, and who comes back while they leave is in.
 */
export function inTurn<T>({ socket }: Caller, rooms: Room[], work: () => Promise<T>): Promise<T> {
  if (socket === undefined) return work();
  const { turns } = socket.data;
  const before = rooms.flatMap((room) => turns.get(room) ?? []);
  const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work);
  for (const room of rooms) turns.set(room, mine);
  const end = () => {
    for (const room of rooms) if (turns.get(room) === mine) turns.delete(room);
  };
  mine.then(end, end);
  return mine;
}

/** What a socket was let into a room by: the right, and the version at that moment. */
export interface Joined {
  mark: Mark | undefined;
  version: number;
}

/**
 * As `enter`, without a turn of its own and up to the answer: to be called when it is sent. `joined` if the
 * socket was let in just now.
 */
export async function prepare<K extends RoomKind>(
  caller: Caller,
  room: RoomOf<K>,
  holding: Holding,
  joined?: Joined,
): Promise<() => Entry<K>> {
  const { app, socket } = caller;
  const reading = async () =>
    withBeside(
      app,
      await (socket === undefined
        ? look(caller, room, holding)
        : joinAndRead(caller, socket, room, holding, joined)),
    );
  const read = reading();
  // Who may not, or not any more, is out again; who gets no answer asks anew.
  read.catch(() => socket?.leave(room));
  // The room's name says of which kind its state is.
  return (await read) as () => Entry<K>;
}

/**
 * Adds what stands beside the state, when the answer is sent: who is online is told live from the moment of the
 * join, so a word of before must not come after it.
 */
export async function withBeside(app: App, entry: Entry): Promise<() => Entry> {
  const { kind, id } = splitRoom(entry.room);
  const more = await beside[kind]?.(app, id, peopleOfPart(entry));
  app.metrics.entries.inc({ room: kind, status: entry.status });
  return () => ({ ...entry, ...more?.() });
}

/** With a part comes how those people are whom it names. */
const peopleOfPart = (entry: Entry): string[] | undefined =>
  entry.status === 'snapshot' && (entry.after ?? entry.more) !== undefined
    ? Object.keys(entry.people)
    : undefined;

/** Whether the caller was not moved out meanwhile: then an answer would speak of a room that they were told is gone. */
export const isIn = ({ socket }: Caller, room: Room): boolean =>
  socket === undefined || socket.rooms.has(room);

/** The state for those who stay outside, with the right of the same moment. */
const look = (caller: Caller, room: Room, holding: Holding): Promise<Entry> =>
  snapshot(caller.app.db, async (db) => {
    await readRight(db, caller, room);
    return readRoom(db, room, holding);
  });

async function joinAndRead(
  caller: Caller,
  socket: ChatSocket,
  room: Room,
  holding: Holding,
  joined?: Joined,
): Promise<Entry> {
  for (let known = joined; ; known = undefined) {
    const { mark } = known ?? (await join(caller, socket, room));
    const read = await readTogether(caller.app, room, holding, mark?.scope);
    // Nobody has departed since the right was read: so it stood when the state was.
    if (read.mark?.version === mark?.version) return read.entry;
  }
}

async function join(caller: Caller, socket: ChatSocket, room: Room): Promise<Joined> {
  for (;;) {
    const joined = await snapshot(caller.app.db, async (db) => ({
      mark: await readRight(db, caller, room),
      version: await readVersion(db, room),
    }));
    const { mark, version } = joined;
    if (!socket.connected) throw notFound();
    // From here to the join nothing else runs on this node.
    if (mark === undefined || noteJoin(caller.app, room, mark)) {
      noteListener(caller.app, room, version);
      await socket.join(room);
      return joined;
    }
    await upTo(caller.app, mark);
  }
}

interface Reading {
  entry: Entry;
  mark: Mark | undefined;
}

/** Readings under way, by what is asked. */
export type Readings = Map<string, Promise<Reading>>;

/**
 * Reads a room once for all who ask the same at the same time, as a thousand do when a node comes back. That
 * is right for those who have joined when nothing more was told here than when the reading began: what is
 * told from then on, they hear.
 */
function readTogether(
  { db, heads, readings }: App,
  room: Room,
  holding: Holding,
  scope: string | undefined,
): Promise<Reading> {
  // Who has used a lot waits for longer: nobody else waits along.
  const key = `${room} ${holding.since} ${holding.after} ${heads.get(room)?.version} ${db.share?.isBusy()}`;
  const underWay = readings.get(key);
  if (underWay !== undefined) return underWay;
  const reading = snapshot(db, async (db) => ({
    entry: await readRoom(db, room, holding),
    mark: scope === undefined ? undefined : await readMark(db, scope),
  })).finally(() => readings.delete(key));
  readings.set(key, reading);
  return reading;
}

/** The right, and the count of departures of the same moment. One's own room has none to lose. */
async function readRight(db: Db, caller: Caller, room: Room): Promise<Mark | undefined> {
  const { kind, id } = splitRoom(room);
  const scopes = await admissions[kind](db, caller, [id]);
  if (!scopes.has(id)) throw notFound();
  const scope = scopes.get(id);
  return scope === undefined ? undefined : readMark(db, scope);
}

/** The state of a room, or what changed in it, at one moment. */
export async function readRoom(db: Db, room: Room, { since, after }: Holding): Promise<Entry> {
  const { kind, id } = splitRoom(room);
  const version = await readVersion(db, room);
  if (after !== undefined)
    return { status: 'snapshot', room, version, after, ...(await readPart(db, kind, id, after)) };
  if (since === version) return { status: 'current', room, version };
  const missed =
    since !== undefined && since < version ? await readChanges(db, room, since) : undefined;
  if (since !== undefined && missed)
    return { status: 'changes', room, version, from: since, ...missed };
  return { status: 'snapshot', room, version, ...(await readPart(db, kind, id)) };
}

/** What changed in a room since a version; undefined if only its whole state can be told. */
export async function readChanges(
  db: Db,
  room: Room,
  since: number,
): Promise<{ changes: Change[]; people: People } | undefined> {
  const { kind, id } = splitRoom(room);
  const changes = (await histories[kind]?.(db, id, since)) ?? 'too many';
  if (changes === 'too many') return undefined;
  return { changes, people: await peopleIn(db, changes, personIdsInChange) };
}

/** @throws ChatError not_found, when the room is no more */
export async function readVersion(db: Db, room: Room): Promise<number> {
  const { id } = splitRoom(room);
  const version = (await readVersions(db, [id])).get(id);
  if (version === undefined) throw notFound();
  return version;
}

/** The versions of those of these rooms that exist, by id. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; version: number }>(
    db,
    'select id, version from rooms where id = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, version }) => [id, version]));
}
