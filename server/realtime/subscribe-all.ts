/**
 * Subscribes to many rooms at once, for `sync`. Rights and versions of all rooms are read together, so rooms that are
 * missing, forbidden or unchanged cost no query each. The size of one answer bounds what is read of the others.
 */
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import { ChatError, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { splitRoom, type Room, type RoomKind } from '../../shared/rooms.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { jsonBytes } from './json-bytes.ts';
import type { AccessVersion } from './node-messages.ts';
import { readRooms, type RoomVersion } from './read-versions.ts';
import type { HeldRead } from './room-reader.ts';
import {
  prepareReply,
  withEphemeral,
  type Joined,
  type RoomCaller,
  type RoomNode,
} from './subscribe.ts';
import type { ChatSocket } from './chat-socket.ts';

/** Makes the answer for one room; called when everything has been read. */
export type Answer = () => SyncEntry;

/** The rooms that the caller may see, and those of them that the socket has joined. */
interface JoinRights {
  seen: Map<Room, Joined>;
  joined: Map<Room, Joined>;
}

/**
 * Subscribes to these rooms; the client holds each at a version, in part or not at all. They are read one after the
 * other, so that a client that was away for long does not take all connections to the database.
 */
export async function subscribeAll(
  caller: RoomCaller,
  held: [Room, HeldRead][],
): Promise<Answer[]> {
  if (held.length === 0) return [];
  // Before any query, so that refusing a client over its limit costs next to nothing.
  await takeEntry(caller, 1);
  const rights = await joinAll(
    caller,
    held.map(([room]) => room),
  );
  // Charges for all missing rooms together: nothing more is done for them.
  const missing = held.length - rights.seen.size;
  await takeEntry(caller, (1 + forNothing) * missing - 1);
  let isPaid = missing === 0;
  const versions = await versionsSince(caller.node, rights.joined);
  const answers: Answer[] = [];
  const budget = newBudget();
  for (const [room, heldRoom] of held) {
    const { since, after } = heldRoom;
    const known = rights.joined.get(room);
    if (!rights.seen.has(room)) {
      answers.push(() => gone(room));
      continue;
    }
    if (budget.isSpent) {
      answers.push(() => later(room));
      continue;
    }
    if (!isPaid) await takeEntry(caller, 1);
    isPaid = false;
    if (known && since !== undefined && after === undefined && versions.get(room) === since)
      answers.push(
        budget.spend(
          await withEphemeral(caller.node, caller.db, {
            status: 'current',
            room,
            version: since,
          }),
        ),
      );
    else answers.push(budget.spend(await replyOrGone(caller, room, heldRoom, known)));
  }
  return answers;
}

/** How many more points a missing room costs than one that exists: clients can make up any number of them. */
const forNothing = 4;

const takeEntry = async ({ node, user }: RoomCaller, points: number) => {
  if (points > 0) await node.limits.take('enter', user.id, points);
};

/**
 * Joins the rooms that the caller may see and leaves the others. Rooms whose scope had a revocation while the rights
 * were read are not joined here, but later one by one, with the right read again.
 */
async function joinAll(caller: RoomCaller, rooms: Room[]): Promise<JoinRights> {
  const { node, db, socket } = caller;
  const seen = await readTransaction(db, (db) => readRights(db, caller, rooms));
  if (socket === undefined) return { seen, joined: new Map() };
  if (!socket.connected) throw notFound();
  // No await from the check to the join: nothing else runs in between on this node.
  const joined = new Map(
    [...seen].filter(
      ([room, { accessVersion }]) =>
        accessVersion === undefined || node.access.tryJoinAt(room, accessVersion),
    ),
  );
  for (const [room, { version }] of joined) node.versions.scheduleCheck(room, version);
  await Promise.all([
    socket.join([...joined.keys()]),
    ...rooms.filter((room) => !seen.has(room)).map((room) => leave(socket, room)),
  ]);
  return { seen, joined };
}

const leave = async (socket: ChatSocket, room: Room) => socket.leave(room);

/** The existing rooms that the caller may see, with their access versions. */
async function readRights(db: Db, caller: RoomCaller, rooms: Room[]): Promise<Map<Room, Joined>> {
  const [known, ...admitted] = await Promise.all([
    readRooms(db, rooms.map(idOf)),
    ...(['user', 'server', 'timeline'] satisfies RoomKind[]).map((kind) =>
      admit(db, caller, rooms, kind),
    ),
  ]);
  const scopes = new Map(admitted.flat());
  const others = scopesIn([...scopes.values()]).filter((scope) => !known.has(scope));
  const all = new Map([...known, ...(others.length > 0 ? await readRooms(db, others) : [])]);
  const rights = new Map<Room, Joined>();
  for (const [room, scope] of scopes) {
    const { version } = all.get(idOf(room)) ?? {};
    const accessVersion = accessVersionIn(all, scope);
    if (version !== undefined && (scope === undefined || accessVersion !== undefined))
      rights.set(room, { accessVersion, version });
  }
  return rights;
}

/** The rooms of this kind that the caller may enter, with their scopes. */
async function admit(
  db: Db,
  caller: RoomCaller,
  rooms: Room[],
  kind: RoomKind,
): Promise<[Room, string | undefined][]> {
  const ids = rooms.filter((room) => splitRoom(room).kind === kind).map(idOf);
  if (ids.length === 0) return [];
  const admitted = await caller.node.features.rooms.authorize[kind](db, caller, ids);
  return [...admitted].map(([id, scope]) => [`${kind}:${id}`, scope]);
}

const idOf = (room: Room) => splitRoom(room).id;

const scopesIn = (scopes: (string | undefined)[]): string[] => [
  ...new Set(scopes.filter((scope) => scope !== undefined)),
];

function accessVersionIn(
  rooms: Map<string, RoomVersion>,
  scope: string | undefined,
): AccessVersion | undefined {
  const room = scope === undefined ? undefined : rooms.get(scope);
  return scope === undefined || room === undefined
    ? undefined
    : { scope, version: room.accessVersion };
}

/** The current versions of joined rooms. Leaves out rooms with a revocation since: it may concern the caller. */
async function versionsSince(
  { reader }: RoomNode,
  joined: Map<Room, Joined>,
): Promise<Map<Room, number>> {
  if (joined.size === 0) return new Map();
  const scopes = scopesIn([...joined.values()].map(({ accessVersion }) => accessVersion?.scope));
  // Read in one query: a right that is still valid then was valid at that version.
  const now = await reader.readRooms([...[...joined.keys()].map(idOf), ...scopes]);
  const current = new Map<Room, number>();
  for (const [room, { accessVersion }] of joined) {
    const { version } = now.get(idOf(room)) ?? {};
    const stands =
      accessVersion === undefined ||
      now.get(accessVersion.scope)?.accessVersion === accessVersion.version;
    if (version !== undefined && stands) current.set(room, version);
  }
  return current;
}

/** The bytes of a room in the answer that brings no content. */
const lineBytes = 128;

/** The bytes left in an answer. The first room always fits, or a client would ask for it for ever. */
function newBudget() {
  let left: number = limits.answerBytes - limits.roomsPerSync * lineBytes;
  let isFirst = true;
  return {
    get isSpent() {
      return left <= 0;
    },
    spend(answer: () => Entry): Answer {
      const entry = answer();
      const bytes = jsonBytes(entry);
      const fits = bytes <= left || isFirst;
      if (entry.status !== 'gone') isFirst = false;
      left = bytes <= left ? left - bytes : 0;
      return fits ? answer : () => later(entry.room);
    },
  };
}

/** Answers `gone` for a room that is missing or no longer visible. Other errors fail the whole command. */
const replyOrGone = (
  caller: RoomCaller,
  room: Room,
  held: HeldRead,
  joined: Joined | undefined,
): Promise<() => Entry> =>
  prepareReply(caller, room, held, joined).catch((error: unknown) => {
    if (error instanceof ChatError && error.code === 'not_found') return () => gone(room);
    throw error;
  });

export const gone = (room: Room): Entry => ({ status: 'gone', room });
const later = (room: Room): SyncEntry => ({ status: 'later', room });
