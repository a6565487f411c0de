/** The versions and changes of each room in a transaction, until it commits. */
import type { Change } from '../shared/changes.ts';
import { conflict } from '../shared/failure.ts';
import type { People } from '../shared/people.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import { named, query, type Db } from './database/database.ts';
import { lockRooms, type LockedRoom } from './database/locks.ts';
import { findPeople } from './people/people.ts';
import { fittingPeople, withOwners } from './realtime/fitting.ts';
import type { Envelope, Revocation } from './realtime/node-messages.ts';

export interface RoomDraft {
  before: number;
  version: number;
  accessVersion: number;
  changes: Change[];
  personIds: Set<string>;
  reset: boolean;
}

/** The rooms that a transaction changes. A function is called once its advisory locks are held. */
export type RoomsToLock = Room[] | ((db: Db) => Promise<Room[]>);

export async function openDrafts(db: Db, toLock: RoomsToLock): Promise<Map<Room, RoomDraft>> {
  const rooms = typeof toLock === 'function' ? await toLock(db) : toLock;
  const locked = await lockRooms(db, rooms.map(idOf));
  const drafts = new Map<Room, RoomDraft>();
  for (const room of rooms) {
    const row = locked.get(idOf(room));
    if (row !== undefined) drafts.set(room, draftAt(row));
  }
  return drafts;
}

const draftAt = ({
  version,
  accessVersion,
}: Pick<LockedRoom, 'version' | 'accessVersion'>): RoomDraft => ({
  before: version,
  ...{ version, accessVersion },
  changes: [],
  personIds: new Set(),
  reset: false,
});

const insertRoom = named(
  'insert into rooms (id, kind) values ($1, $2) on conflict do nothing returning id',
);
const findEnded = named(
  `select id from ended_timelines where id = $1
   union all select server_id from untold_servers where server_id = $1`,
);

/** @throws ChatError conflict, if the id is taken */
export async function createRoom(db: Db, room: Room): Promise<RoomDraft> {
  const { kind, id } = splitRoom(room);
  const [made, ended] = await Promise.all([
    query(db, insertRoom, [id, kind]),
    // After the insert, which waits for a transaction that ends the room. The id of an ended room stays taken.
    query(db, findEnded, [id]),
  ]);
  if (made.length === 0 || ended.length > 0) throw conflict('This id is taken.');
  return draftAt({ version: 0, accessVersion: 0 });
}

const updateRooms = named(
  `update rooms set version = now.version, access_version = now.access_version
   from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as now (id, version, access_version)
   where rooms.id = now.id
     and (rooms.version, rooms.access_version) <> (now.version, now.access_version)`,
);

/** `rooms`: the rooms of the scope in which access ended; null means all of them. */
const insertRevocations = `insert into revocations (scope, access_version, user_id, rooms)
  select scope, version, "userId", rooms
  from jsonb_to_recordset($1::jsonb) as revoked (scope uuid, version bigint, "userId" uuid, rooms text[])`;

export async function writeDrafts(db: Db, rooms: Map<Room, RoomDraft>, revocations: Revocation[]) {
  const drafts = [...rooms];
  await query(db, updateRooms, [
    drafts.map(([room]) => idOf(room)),
    drafts.map(([, { version }]) => version),
    drafts.map(([, { accessVersion }]) => accessVersion),
  ]);
  if (revocations.length === 0) return;
  const rows = revocations.map(({ scope, version, userId, rooms }) => {
    return { scope, version, userId, rooms };
  });
  await query(db, insertRevocations, [JSON.stringify(rows)]);
}

export async function envelopesOf(db: Db, rooms: Map<Room, RoomDraft>): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  const peopleFor = await readPeople(db, [...rooms.values()]);
  for (const [room, { before, version, accessVersion, changes, personIds, reset }] of rooms) {
    if (changes.length === 0 && !reset) continue;
    const { kind, id } = splitRoom(room);
    const mark = kind === 'server' ? { scope: id, version: accessVersion } : undefined;
    const range = { room, from: before, to: version, mark };
    if (reset) envelopes.push({ ...range, changes: [], people: {}, anew: reset });
    else envelopes.push({ ...range, changes, people: peopleFor([...personIds]) });
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

export const idOf = (room: Room) => splitRoom(room).id;
