/**
 * Subscribing to many rooms at once, as a `sync` asks. The rights of all are read together and so are their versions,
 * so that rooms which are not there, may not be seen or are as they are held cost nothing each; and one
 * answer's bytes bound all that is read of the others.
 */
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import { ChatError, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { splitRoom, type Room, type RoomKind } from '../../shared/rooms.ts';
import type { Caller, ChatSocket } from '../command.ts';
import { snapshot, type Db } from '../database/database.ts';
import { jsonBytes } from './json-bytes.ts';
import { readVersions } from './read-versions.ts';
import { readAccessVersions } from './access-version.ts';
import type { HeldRead } from './room-reader.ts';
import { prepareReply, withEphemeral, type Joined } from './subscribe.ts';

/** Called when everything has been read. */
export type Answer = () => SyncEntry;

/** The rooms that may be seen, and those of them that the socket is in by that right. */
interface JoinRights {
  seen: Map<Room, Joined>;
  joined: Map<Room, Joined>;
}

/**
 * Subscribes to these rooms, each held at a version, in part or not at all. One after the other: a client that was away for long
 * must not take all connections to the database.
 */
export async function subscribeAll(caller: Caller, held: [Room, HeldRead][]): Promise<Answer[]> {
  if (held.length === 0) return [];
  // Before anything is looked up: to refuse those who have used up all costs next to nothing.
  await takeEntry(caller, 1);
  const rights = await joinAll(
    caller,
    held.map(([room]) => room),
  );
  // For all that are not there at once: nothing more is done for them.
  const missing = held.length - rights.seen.size;
  await takeEntry(caller, (1 + forNothing) * missing - 1);
  let isPaid = missing === 0;
  const versions = await versionsSince(caller.app.db, rights.joined);
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
          await withEphemeral(caller.app, caller.app.db, {
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

/** What it costs to be told that a room is not there, beyond what entering one does: there is no end of such rooms. */
const forNothing = 4;

const takeEntry = async ({ app, user }: Caller, points: number) => {
  if (points > 0) await app.limits.take('enter', user.id, points);
};

/**
 * Joins those rooms that the caller may see and leaves the others. Of some a revocation was heard while the
 * rights were read: they are joined one by one, with the right read again.
 */
async function joinAll(caller: Caller, rooms: Room[]): Promise<JoinRights> {
  const { app, socket } = caller;
  const seen = await snapshot(app.db, (db) => readRights(db, caller, rooms));
  if (socket === undefined) return { seen, joined: new Map() };
  if (!socket.connected) throw notFound();
  // From here to the join nothing else runs on this node.
  const joined = new Map(
    [...seen].filter(
      ([room, { accessVersion }]) =>
        accessVersion === undefined || app.access.tryJoinAt(room, accessVersion),
    ),
  );
  for (const [room, { version }] of joined) app.versions.scheduleCheck(room, version);
  await Promise.all([
    socket.join([...joined.keys()]),
    ...rooms.filter((room) => !seen.has(room)).map((room) => leave(socket, room)),
  ]);
  return { seen, joined };
}

const leave = async (socket: ChatSocket, room: Room) => socket.leave(room);

/** The rooms that are there and that the caller may see, with their access versions. */
async function readRights(db: Db, caller: Caller, rooms: Room[]): Promise<Map<Room, Joined>> {
  const scopes = new Map<Room, string | undefined>();
  for (const kind of ['user', 'server', 'timeline'] satisfies RoomKind[]) {
    const ids = rooms.map(splitRoom).filter((room) => room.kind === kind);
    if (ids.length === 0) continue;
    const admitted = await caller.app.features.rooms.authorize[kind](
      db,
      caller,
      ids.map(({ id }) => id),
    );
    for (const [id, scope] of admitted) scopes.set(`${kind}:${id}`, scope);
  }
  const accessVersions = await accessVersionsOf(db, [...scopes.values()]);
  const versions = await readVersions(
    db,
    [...scopes.keys()].map((room) => splitRoom(room).id),
  );
  const rights = new Map<Room, Joined>();
  for (const [room, scope] of scopes) {
    const version = versions.get(splitRoom(room).id);
    const accessVersion = scope === undefined ? undefined : accessVersions.get(scope);
    if (version !== undefined && (scope === undefined || accessVersion !== undefined))
      rights.set(room, { accessVersion, version });
  }
  return rights;
}

async function accessVersionsOf(db: Db, scopes: (string | undefined)[]) {
  const wanted = new Set(scopes.filter((scope) => scope !== undefined));
  return new Map((await readAccessVersions(db, [...wanted])).map((one) => [one.scope, one]));
}

/** The versions of rooms since they were joined; of none with a revocation since, perhaps of the caller. */
async function versionsSince(db: Db, joined: Map<Room, Joined>): Promise<Map<Room, number>> {
  if (joined.size === 0) return new Map();
  const versions = await readVersions(
    db,
    [...joined.keys()].map((room) => splitRoom(room).id),
  );
  // After the versions: a right that stands now stood then.
  const now = await accessVersionsOf(
    db,
    [...joined.values()].map(({ accessVersion }) => accessVersion?.scope),
  );
  const current = new Map<Room, number>();
  for (const [room, { accessVersion }] of joined) {
    const version = versions.get(splitRoom(room).id);
    const stands =
      accessVersion === undefined ||
      now.get(accessVersion.scope)?.version === accessVersion.version;
    if (version !== undefined && stands) current.set(room, version);
  }
  return current;
}

/** What a room takes in the answer when nothing is brought of it. */
const lineBytes = 128;

/** How much one answer still has room for. One room always has its place, or a client would ask for it for ever. */
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

/** What is not there, or not for this caller any more. Whatever else went wrong says nothing about the room. */
const replyOrGone = (
  caller: Caller,
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
