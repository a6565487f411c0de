/**
 * The only way into a room: read the right, join, then read the state. Changes committed before that read are part of
 * the state, and later ones are delivered to the socket, so none is lost. The join requires that this node has applied
 * exactly the revocations up to the right's access version, and after another revocation the state is read again.
 */
import type { Entry } from '../../shared/entry.ts';
import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room, type RoomKind, type RoomOf } from '../../shared/rooms.ts';
import { readTransaction, type Db } from '../database/database.ts';
import type { Metrics } from '../node/metrics.ts';
import type { RateLimits } from '../cluster/limits.ts';
import { readAccessVersion } from './access-version.ts';
import type { AccessVersion } from './node-messages.ts';
import { readVersion } from './read-versions.ts';
import type { HeldRead, ExistingEntry } from './room-reader.ts';
import type { ChatSocket, Subscriber } from './chat-socket.ts';
import type { RoomFeatures } from './room-features.ts';
import type { Realtime } from './open.ts';

export interface RoomNode extends Pick<Realtime, 'reader' | 'access' | 'versions' | 'activity'> {
  limits: RateLimits;
  metrics: Metrics;
  features: { rooms: Pick<RoomFeatures, 'authorize' | 'ephemeral'> };
}

export interface RoomCaller extends Subscriber {
  node: RoomNode;
}

/** A check before the room is looked up, such as that its id is a channel's. Throws if it fails. */
type Condition = () => Promise<unknown>;

/**
 * Subscribes to `room`, and returns its state or the changes since `held`. A caller without a socket only reads.
 * @throws ChatError not_found, for a room that does not exist or that the caller cannot see
 */
export const subscribe = <K extends RoomKind>(
  caller: RoomCaller,
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

/** Removes the caller's socket from `room`. This needs no right, and happens even if `condition` fails. */
export const unsubscribe = (caller: RoomCaller, room: Room, condition: Condition): Promise<void> =>
  inOrder(caller, [room], async () => {
    await caller.socket?.leave(room);
    await condition();
  });

/** Runs a socket’s commands for a room in order, so that an unsubscribe sent after a subscribe takes effect last. */
export function inOrder<T>(
  { socket }: RoomCaller,
  rooms: Room[],
  work: () => Promise<T>,
): Promise<T> {
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

/** The access version of the right and the room's version at which a socket joined. */
export interface Joined {
  accessVersion: AccessVersion | undefined;
  version: number;
}

/** Like `subscribe`, but outside the order of commands. Call the returned function when the answer is sent. */
export async function prepareReply<K extends RoomKind>(
  caller: RoomCaller,
  room: RoomOf<K>,
  held: HeldRead,
  joined?: Joined,
): Promise<() => Entry<K>> {
  const { node, db, socket } = caller;
  const reading = async () =>
    withEphemeral(
      node,
      db,
      await (socket === undefined
        ? readWithoutJoin(caller, room, held)
        : joinAndRead(caller, socket, room, held, joined)),
    );
  const read = reading();
  read.catch(() => socket?.leave(room));
  // The kind of the entry follows from the room's name.
  return (await read) as () => Entry<K>;
}

/** Adds ephemeral data as late as possible: presence is also sent live since the join (test/laws/presence.test.ts). */
export async function withEphemeral(
  { features, metrics }: RoomNode,
  db: Db,
  entry: ExistingEntry,
): Promise<() => Entry> {
  const { kind, id } = splitRoom(entry.room);
  const of = { version: entry.version, among: peopleToSee(entry) };
  const more = await features.rooms.ephemeral[kind]?.(db, id, of);
  metrics.entries.inc({ room: kind, status: entry.status });
  return () => ({ ...entry, ...more?.() });
}

/** Limits presence to the people that the entry names: for a part of a snapshot, and for a user's own room. */
const peopleToSee = (entry: ExistingEntry): string[] | undefined =>
  entry.status === 'snapshot' &&
  ((entry.after ?? entry.more) !== undefined || splitRoom(entry.room).kind === 'user')
    ? Object.keys(entry.people)
    : undefined;

/** False if the caller was evicted in the meantime. Then the state must not be sent. */
export const isIn = ({ socket }: RoomCaller, room: Room): boolean =>
  socket === undefined || socket.rooms.has(room);

const readWithoutJoin = (caller: RoomCaller, room: Room, held: HeldRead): Promise<ExistingEntry> =>
  readTransaction(caller.db, async (db) => {
    await readRight(db, caller, room);
    return caller.node.reader.read(db, room, held);
  });

async function joinAndRead(
  caller: RoomCaller,
  socket: ChatSocket,
  room: Room,
  held: HeldRead,
  joined?: Joined,
): Promise<ExistingEntry> {
  const { node, db } = caller;
  for (let known = joined; ; known = undefined) {
    const { accessVersion } = known ?? (await join(caller, socket, room));
    const read = await node.reader.readShared(db, room, held, accessVersion?.scope);
    // Without a revocation since, the right was valid when the state was read.
    if (read.accessVersion?.version === accessVersion?.version) return read.entry;
  }
}

function join(caller: RoomCaller, socket: ChatSocket, room: Room): Promise<Joined> {
  const { node, db } = caller;
  return node.access.join(
    async () => {
      const right = await readTransaction(db, async (db) => ({
        accessVersion: await readRight(db, caller, room),
        version: await readVersion(db, room),
      }));
      if (!socket.connected) throw notFound();
      const { accessVersion } = right;
      return { ...right, joins: accessVersion === undefined ? [] : [[room, accessVersion]] };
    },
    async (joined) => {
      node.versions.scheduleCheck(room, joined.version);
      await socket.join(room);
      return joined;
    },
  );
}

/** Reads the right and its access version. A user's own room has no access version: the user cannot lose it. */
async function readRight(
  db: Db,
  caller: RoomCaller,
  room: Room,
): Promise<AccessVersion | undefined> {
  const { kind, id } = splitRoom(room);
  const scopes = await caller.node.features.rooms.authorize[kind](db, caller, [id]);
  if (!scopes.has(id)) throw notFound();
  const scope = scopes.get(id);
  return scope === undefined ? undefined : readAccessVersion(db, scope);
}
