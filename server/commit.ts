/**
 * How rooms change: lock (locks.ts says in which order), run, number the changes, commit, and only then tell.
 * What changes in a timeline goes by messages/writer.ts, which does the same for many at once.
 */
import type { App } from './app.ts';
import type { Change } from '../shared/changes.ts';
import { conflict, notFound } from '../shared/failure.ts';
import type { People } from '../shared/people.ts';
import { personIdsInChange } from '../shared/person-ids.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import type { Config } from './config.ts';
import { named, query, transaction, type Db } from './database/database.ts';
import { withRetry } from './database/retry.ts';
import { lockRights, lockRooms, type RightLocks } from './database/locks.ts';
import { findPeople } from './accounts/people.ts';
import { fittingPeople, withOwners } from './realtime/fitting.ts';
import { jsonBytes } from './realtime/json-bytes.ts';
import type { Envelope, Grant, Revocation } from './realtime/node-messages.ts';

export interface Locks extends RightLocks {
  /** The rooms that will change; asked for once the advisory locks are held. */
  rooms: Room[] | ((db: Db) => Promise<Room[]>);
}

/** A transaction under way, with its rooms locked. */
export interface RoomTransaction {
  db: Db;
  /** Makes a room; it counts as locked. Throws conflict if its id is another's. */
  create(room: Room): Promise<void>;
  /** The version that the next change of this room has: to be written into the row that changes. */
  nextVersion(room: Room): number;
  /** The node's settings. */
  config: Config;
  /**
   * Says what happened, for everyone in the room to hear after the commit, and who they are whom it names: all, or
   * those of them who are new to the room. Once a transaction has said too much, it resets the room instead.
   */
  change(room: Room, change: Change, newPersonIds?: string[]): void;
  /** After the commit, tells subscribers to fetch a snapshot: what happened cannot be expressed as changes. */
  resetRoom(room: Room): void;
  /** After the commit, takes people out of rooms on all nodes. */
  revoke(ended: EndedAccess): void;
  /** After the commit, lets a person into one more server or conversation. */
  grant(grant: Grant): void;
}

/** Who loses access: one person, or without a `userId` everybody but `keepUserIds`. */
interface EndedAccess {
  /** The server or the conversation, which must be locked. */
  room: Room;
  /** These of a server's rooms; without them, all. */
  rooms?: Room[];
  userId?: string;
  keepUserIds?: string[];
  /** Not everyone in the server knew of these rooms. */
  silent?: boolean;
}

/** Runs `work` and returns what it returned, when it is durable. Publishes what it told. */
export const commit = <T>(
  app: App,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> => withRetry(() => attemptOnce(app, locks, work));

/** What a transaction does to a room. */
interface RoomDraft {
  before: number;
  version: number;
  accessVersion: number;
  told: Change[];
  personIds: Set<string>;
  reset: boolean;
}

/**
 * One transaction tells no more bytes than this, which is what a change of the fullest private channel takes: each of
 * its members is told all of them.
 */
const mostToldBytes = 12_582_912;

/** What a transaction does, as far as it is to be told. */
interface Effects {
  rooms: Map<Room, RoomDraft>;
  revocations: Revocation[];
  grants: Grant[];
}

async function attemptOnce<T>(
  app: App,
  locks: Locks,
  work: (work: RoomTransaction) => Promise<T>,
): Promise<T> {
  const revocations: Revocation[] = [];
  const grants: Grant[] = [];
  const { result, envelopes } = await transaction(app.db, async (db) => {
    // What is asked together is done in this order, by one connection: the rooms are read when the locks are held.
    const [, rooms] = await Promise.all([lockRights(db, locks), openDrafts(db, locks)]);
    const result = await work(transactionOn(app, db, { rooms, revocations, grants }));
    const [, envelopes] = await Promise.all([
      writeDrafts(db, rooms, revocations),
      envelopesOf(db, rooms),
    ]);
    return { result, envelopes };
  });
  app.fanout.publish({ envelopes, revocations, grants });
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
  { config }: App,
  db: Db,
  { rooms, revocations, grants }: Effects,
): RoomTransaction {
  let leftBytes = mostToldBytes;
  /** A room that is gone is something to answer for, not to write to. */
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
      // What is told first is heard first: who is let into one room before another ends misses nothing.
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
    // After the insert, which waits for whoever is ending it: what was in it is not all deleted yet.
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

/** Reads them once for all rooms. Those who are told of the same people share one object: see node-messages.ts. */
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
