/**
 * Subscribes to many rooms at once, for `sync`. Reads the rights and versions of all rooms together, so that missing,
 * forbidden or unchanged rooms cost no query each. The size of one answer bounds the content that is read.
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

interface JoinRights {
  seen: Map<Room, Joined>;
  joined: Map<Room, Joined>;
}

/** Reads one room after the other, so that a client that was away for long does not take all database connections. */
export async function subscribeAll(
  caller: RoomCaller,
  held: [Room, HeldRead][],
): Promise<Answer[]> {
  if (held.length === 0) return [];
  // Before any query, so that refusing a client over its limit is cheap.
  await takeEntry(caller, 1);
  const rights = await joinAll(
    caller,
    held.map(([room]) => room),
  );
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

/** Extra points for a missing room, because clients can make up any number of them. */
const forNothing = 4;

const takeEntry = async ({ node, user }: RoomCaller, points: number) => {
  if (points > 0) await node.limits.take('enter', user.id, points);
};

/** Leaves rooms that the caller cannot see. Rooms with a revocation during the read are joined later, one by one. */
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

/** Bytes of an entry without content. */
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
