/**
 * The one way into a room. Read the right, join, and only then read the state: whatever is committed after the reading
 * is heard, whatever was committed before is read, and nothing falls between. No revocation slips by: the join counts
 * only if this node has applied exactly those that the right knew of, and the state only if there were no others since.
 */
import type { Entry } from '../../shared/entry.ts';
import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room, type RoomKind, type RoomOf } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import type { Caller, ChatSocket } from '../command.ts';
import { snapshot, type Db } from '../database/database.ts';
import { readAccessVersion } from './access-version.ts';
import type { AccessVersion } from './node-messages.ts';
import { readVersion } from './read-versions.ts';
import type { HeldRead } from './room-reader.ts';

/** What must hold before a room is even looked for: that there is one of the kind that was named. */
type Condition = () => Promise<unknown>;

/**
 * Subscribes the caller's socket to `room` and answers with its state, or with what the caller does not hold of it. A
 * caller without a socket (the gateway) only reads.
 * @throws ChatError not_found, for what does not exist and for what the caller may not see
 */
export const subscribe = <K extends RoomKind>(
  caller: Caller,
  room: RoomOf<K>,
  held: HeldRead = {},
  condition?: Condition,
): Promise<Entry<K>> =>
  inOrder(caller, [room], async () => {
    await condition?.();
    const reply = await prepareReply(caller, room, held);
    if (!isIn(caller, room)) throw notFound();
    return reply();
  });

/** Takes the caller's socket out of `room`: that needs no right, and happens whatever the answer is. */
export const unsubscribe = (caller: Caller, room: Room, condition: Condition): Promise<void> =>
  inOrder(caller, [room], async () => {
    await caller.socket?.leave(room);
    await condition();
  });

/** The commands of one socket that are under way, by the rooms that they concern: the latest of each room. */
export type RoomQueues = Map<Room, Promise<unknown>>;

/**
 * Runs the commands of one socket about a room in the order in which they came: a socket that unsubscribes while its
 * subscription is under way is out afterwards, and one that subscribes again is in.
 */
export function inOrder<T>({ socket }: Caller, rooms: Room[], work: () => Promise<T>): Promise<T> {
  if (socket === undefined) return work();
  const { roomQueues } = socket.data;
  const before = rooms.flatMap((room) => roomQueues.get(room) ?? []);
  const mine = before.length === 0 ? work() : Promise.allSettled(before).then(work);
  for (const room of rooms) roomQueues.set(room, mine);
  const end = () => {
    for (const room of rooms) if (roomQueues.get(room) === mine) roomQueues.delete(room);
  };
  mine.then(end, end);
  return mine;
}

/** What a socket joined a room by: the access version at which it had the right, and the room's version at that moment. */
export interface Joined {
  accessVersion: AccessVersion | undefined;
  version: number;
}

/**
 * As `subscribe`, without a place in the order and up to the answer, which is called when it is sent. `joined` if the
 * socket has joined just now.
 */
export async function prepareReply<K extends RoomKind>(
  caller: Caller,
  room: RoomOf<K>,
  held: HeldRead,
  joined?: Joined,
): Promise<() => Entry<K>> {
  const { app, socket } = caller;
  const reading = async () =>
    withEphemeral(
      app,
      app.db,
      await (socket === undefined
        ? readWithoutJoin(caller, room, held)
        : joinAndRead(caller, socket, room, held, joined)),
    );
  const read = reading();
  // On failure the socket leaves the room; the client retries.
  read.catch(() => socket?.leave(room));
  // The room's name says of which kind its state is.
  return (await read) as () => Entry<K>;
}

/**
 * Adds the ephemeral data when the answer is sent: presence is told live from the moment of the join, so an older
 * presence must not come after it.
 */
export async function withEphemeral(app: App, db: Db, entry: Entry): Promise<() => Entry> {
  const { kind, id } = splitRoom(entry.room);
  const more = await app.features.rooms.ephemeral[kind]?.(app, db, id, peopleToSee(entry));
  app.metrics.entries.inc({ room: kind, status: entry.status });
  return () => ({ ...entry, ...more?.() });
}

/** A part brings the ephemeral data of those people only whom it names. A person's own room names all whom they see. */
const peopleToSee = (entry: Entry): string[] | undefined =>
  entry.status === 'snapshot' &&
  ((entry.after ?? entry.more) !== undefined || splitRoom(entry.room).kind === 'user')
    ? Object.keys(entry.people)
    : undefined;

/** Whether the caller was not evicted meanwhile: then an answer would speak of a room that they were told is gone. */
export const isIn = ({ socket }: Caller, room: Room): boolean =>
  socket === undefined || socket.rooms.has(room);

/** The state for a caller without a socket, with the right of the same moment. */
const readWithoutJoin = (caller: Caller, room: Room, held: HeldRead): Promise<Entry> =>
  snapshot(caller.app.db, async (db) => {
    await readRight(db, caller, room);
    return caller.app.reader.read(db, room, held);
  });

async function joinAndRead(
  caller: Caller,
  socket: ChatSocket,
  room: Room,
  held: HeldRead,
  joined?: Joined,
): Promise<Entry> {
  const { db, reader } = caller.app;
  for (let known = joined; ; known = undefined) {
    const { accessVersion } = known ?? (await join(caller, socket, room));
    const read = await reader.readShared(db, room, held, accessVersion?.scope);
    // No revocation since the right was read: so it stood when the state was.
    if (read.accessVersion?.version === accessVersion?.version) return read.entry;
  }
}

async function join(caller: Caller, socket: ChatSocket, room: Room): Promise<Joined> {
  const { db, access, versions } = caller.app;
  for (;;) {
    const joined = await snapshot(db, async (db) => ({
      accessVersion: await readRight(db, caller, room),
      version: await readVersion(db, room),
    }));
    const { accessVersion, version } = joined;
    if (!socket.connected) throw notFound();
    // From here to the join nothing else runs on this node.
    if (accessVersion === undefined || access.tryJoinAt(room, accessVersion)) {
      versions.scheduleCheck(room, version);
      await socket.join(room);
      return joined;
    }
    await access.catchUpTo(accessVersion);
  }
}

/** The right, and the access version of the same moment. A person's own room has none: nobody loses it. */
async function readRight(db: Db, caller: Caller, room: Room): Promise<AccessVersion | undefined> {
  const { kind, id } = splitRoom(room);
  const scopes = await caller.app.features.rooms.authorize[kind](db, caller, [id]);
  if (!scopes.has(id)) throw notFound();
  const scope = scopes.get(id);
  return scope === undefined ? undefined : readAccessVersion(db, scope);
}
