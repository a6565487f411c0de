/**
 * How rooms change: lock (in the order of locks.ts), run, number the changes, commit, and only then publish.
 * Messages go through messages/writer.ts instead, which does the same for many writes in one transaction.
 */
import type { Change } from '../shared/changes.ts';
import { conflict, notFound } from '../shared/failure.ts';
import type { People } from '../shared/people.ts';
import { personIdsInChange } from '../shared/person-ids.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import type { Config } from './config.ts';
import { named, query, transaction, type Db } from './database/database.ts';
import { withRetry } from './database/retry.ts';
import { lockRights, lockRooms, type RightLocks } from './database/locks.ts';
import { findPeople } from './people/people.ts';
import { fittingPeople, withOwners } from './realtime/fitting.ts';
import { jsonBytes } from './realtime/json-bytes.ts';
import type { Envelope, Grant, Revocation } from './realtime/node-messages.ts';
import type { Context, Node } from './caller.ts';

export interface Locks extends RightLocks {
  /** The rooms that will change. A function is called once the advisory locks are held. */
  rooms: Room[] | ((db: Db) => Promise<Room[]>);
}

/** A running transaction whose rooms are locked. */
export interface RoomTransaction {
  db: Db;
  /** Creates a room, which then counts as locked. Throws conflict if the id is taken. */
  create(room: Room): Promise<void>;
  /** The version of the room's next change. Write it to the row that changes. */
  nextVersion(room: Room): number;
  /** The node's settings. */
  config: Config;
  /**
   * Publishes a change to everyone in the room, after the commit. The people whom it names are sent along: all of
   * them, or only `newPersonIds`, who are new to the room. If the changes of a transaction are too large, their rooms
   * are reset instead.
   */
  change(room: Room, change: Change, newPersonIds?: string[]): void;
  /** After the commit, makes subscribers fetch a snapshot: for what cannot be expressed as changes. */
  resetRoom(room: Room): void;
  /** After the commit, removes people's sockets from rooms on all nodes. */
  revoke(ended: EndedAccess): void;
  /** After the commit, tells all nodes that a person has access to one more server, conversation or channel. */
  grant(grant: Grant): void;
}

/** Access that ends: that of one person, or without a `userId` that of everyone except `keepUserIds`. */
interface EndedAccess {
  /** The server or the conversation, which must be locked. */
  room: Room;
  /** Some of the server's rooms; without it, all of them. */
  rooms?: Room[];
  userId?: string;
  keepUserIds?: string[];
  /** True if not everyone in the server knew of these rooms: then their end is not announced to the server. */
  silent?: boolean;
}

/** Runs `work` in a transaction, commits, publishes its changes, and returns its result. */
export const commit = <T>(
  context: Context,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> => withRetry(() => attemptOnce(context, locks, work));

/**
 * The same by a right of the caller's. The right is checked twice: before, so that strangers lock nothing and the locks
 * are known, and again under the locks, since it may have ended meanwhile.
 * @param accessIn throws if the caller doesn't have the right
 */
export async function withAccess<Access, T>(
  context: Context,
  accessIn: (db: Db) => Promise<Access>,
  locksFor: (access: Access) => Locks | Promise<Locks>,
  work: (work: RoomTransaction, access: Access) => Promise<T>,
): Promise<T> {
  const locks = await locksFor(await accessIn(context.db));
  return commit(context, locks, async (under) => work(under, await accessIn(under.db)));
}

/** The changes of a transaction in one room. */
interface RoomDraft {
  before: number;
  version: number;
  accessVersion: number;
  told: Change[];
  personIds: Set<string>;
  reset: boolean;
}

/**
 * How many bytes of changes one transaction may publish: as many as a change of the largest private channel takes,
 * where each member is sent the ids of all members.
 */
const maxToldBytes = 12_582_912;

/** What a transaction will publish. */
interface Effects {
  rooms: Map<Room, RoomDraft>;
  revocations: Revocation[];
  grants: Grant[];
}

async function attemptOnce<T>(
  context: Context,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> {
  const { node } = context;
  const revocations: Revocation[] = [];
  const grants: Grant[] = [];
  const { result, envelopes } = await transaction(context.db, async (db) => {
    // One connection runs both in this order, in one round trip: the rooms are read once the locks are held.
    const [, rooms] = await Promise.all([lockRights(db, locks), openDrafts(db, locks)]);
    const result = await work(transactionOn(node, db, { rooms, revocations, grants }));
    const [, envelopes] = await Promise.all([
      writeDrafts(db, rooms, revocations),
      envelopesOf(db, rooms),
    ]);
    return { result, envelopes };
  });
  node.fanout.publish({ envelopes, revocations, grants });
  return result;
}

async function openDrafts(db: Db, locks: Locks): Promise<Map<Room, RoomDraft>> {
  const rooms = typeof locks.rooms === 'function' ? await locks.rooms(db) : locks.rooms;
  const locked = await lockRooms(db, rooms.map(idOf));
  const drafts = new Map<Room, RoomDraft>();
  for (const room of rooms) {
    const row = locked.get(idOf(room));
    if (row === undefined) continue;
    const { version, accessVersion } = row;
    drafts.set(room, {
      before: version,
      version,
      accessVersion,
      told: [],
      personIds: new Set(),
      reset: false,
    });
  }
  return drafts;
}

function transactionOn(
  { config }: Node,
  db: Db,
  { rooms, revocations, grants }: Effects,
): RoomTransaction {
  let leftBytes = maxToldBytes;
  /** @throws ChatError not_found, for a room that was deleted */
  const open = (room: Room): RoomDraft => {
    const draft = rooms.get(room);
    if (draft === undefined) throw notFound();
    return draft;
  };
  return {
    db,
    config,
    async create(room) {
      await createRoom(db, room);
      rooms.set(room, {
        before: 0,
        version: 0,
        accessVersion: 0,
        told: [],
        personIds: new Set(),
        reset: false,
      });
    },
    nextVersion: (room) => (open(room).version += 1),
    change(room, change, personIds = personIdsInChange(change)) {
      const draft = open(room);
      // Rooms are published in the order of their first change, so that nobody misses the change that lets them in.
      if (draft.told.length === 0 && rooms.delete(room)) rooms.set(room, draft);
      if (leftBytes > 0) leftBytes -= jsonBytes(change);
      if (leftBytes <= 0) draft.reset = true;
      if (draft.reset) return;
      draft.told.push(change);
      for (const id of personIds) draft.personIds.add(id);
    },
    resetRoom: (room) => void (open(room).reset = true),
    revoke({ room, rooms: ended, userId, keepUserIds: stay, silent: quiet }) {
      const version = (open(room).accessVersion += 1);
      revocations.push({ scope: idOf(room), version, userId, rooms: ended, stay, quiet });
    },
    grant: (grant) => void grants.push(grant),
  };
}

const insertRoom = named(
  'insert into rooms (id, kind) values ($1, $2) on conflict do nothing returning id',
);
const findEnded = named(
  `select id from ended_timelines where id = $1
   union all select server_id from untold_servers where server_id = $1`,
);

async function createRoom(db: Db, room: Room): Promise<void> {
  const { kind, id } = splitRoom(room);
  const [made, ended] = await Promise.all([
    query(db, insertRoom, [id, kind]),
    // After the insert, which waits for a transaction that ends the room: its contents may not be deleted yet.
    query(db, findEnded, [id]),
  ]);
  if (made.length === 0 || ended.length > 0) throw conflict('This id is taken.');
}

const updateRooms = named(
  `update rooms set version = now.version, access_version = now.access_version
   from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as now (id, version, access_version)
   where rooms.id = now.id
     and (rooms.version, rooms.access_version) <> (now.version, now.access_version)`,
);

async function writeDrafts(db: Db, rooms: Map<Room, RoomDraft>, revocations: Revocation[]) {
  const drafts = [...rooms];
  await query(db, updateRooms, [
    drafts.map(([room]) => idOf(room)),
    drafts.map(([, { version }]) => version),
    drafts.map(([, { accessVersion }]) => accessVersion),
  ]);
  for (const { scope, version, userId, rooms: left } of revocations)
    await query(
      db,
      'insert into revocations (scope, access_version, user_id, rooms) values ($1, $2, $3, $4)',
      [scope, version, userId ?? null, left ?? null],
    );
}

async function envelopesOf(db: Db, rooms: Map<Room, RoomDraft>): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  const peopleFor = await readPeople(db, [...rooms.values()]);
  for (const [room, { before, version, accessVersion, told, personIds, reset }] of rooms) {
    if (told.length === 0 && !reset) continue;
    const { kind, id } = splitRoom(room);
    const mark = kind === 'server' ? { scope: id, version: accessVersion } : undefined;
    const range = { room, from: before, to: version, mark };
    if (reset) envelopes.push({ ...range, changes: [], people: {}, anew: reset });
    else envelopes.push({ ...range, changes: told, people: peopleFor([...personIds]) });
  }
  return envelopes;
}

/** Reads the people once for all rooms. Rooms with the same people share one object: see node-messages.ts. */
async function readPeople(db: Db, drafts: RoomDraft[]): Promise<(personIds: string[]) => People> {
  const all = await findPeople(
    db,
    drafts.flatMap(({ personIds }) => [...personIds]),
  );
  const made = new Map<string, People>();
  return (personIds) => {
    const key = personIds.join();
    const people = made.get(key) ?? fittingPeople(withOwners(all, personIds)).named;
    made.set(key, people);
    return people;
  };
}

const idOf = (room: Room) => splitRoom(room).id;
