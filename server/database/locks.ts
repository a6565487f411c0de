/**
 * The locks, taken in one order by everybody, so that no two can wait for each other: (a) an advisory lock
 * for each server, group or pair of people concerned, shared by whoever relies on a right there, exclusive for whoever ends one;
 * (b) the rows of the rooms, by id; (c) only then, in new statements, read, check and write. So a kick and a
 * send cannot pass each other: one of them sees what the other did.
 */
import { named, query, type Db } from './database.ts';

export interface RightLocks {
  /** Where a right is relied on: ids of servers and of groups, and what `pairLock` makes. */
  shared?: string[];
  /** Where a right may end. Never one that is relied on too: a lock is not upgraded. */
  exclusive?: string[];
}

/** A room's row, locked until the transaction ends. */
export interface LockedRoom {
  version: number;
  accessVersion: number;
  lastPosition: number;
}

/** Stands for what two people may do to each other, whether or not there is anything between them yet. */
export const pairLock = (a: string, b: string): string => [a, b].sort().join(' ');

// One after the other in the order of the arrays: unnest keeps it.
const lockInOrder = named(
  `select case when exclusive
     then pg_advisory_xact_lock(hashtextextended(id, 0))
     else pg_advisory_xact_lock_shared(hashtextextended(id, 0)) end
   from unnest($1::text[], $2::bool[]) as wanted (id, exclusive)`,
);

export async function lockRights(
  db: Db,
  { shared = [], exclusive = [] }: RightLocks,
): Promise<void> {
  const ended = new Set(exclusive);
  const ids = [...new Set([...shared, ...exclusive])].sort();
  if (ids.length === 0) return;
  await query(db, lockInOrder, [ids, ids.map((id) => ended.has(id))]);
}

/**
 * Locks, for relying on rights there, those of these that can be had at once, and says which. Where somebody waits to
 * end a right, they go first.
 */
export async function tryLockRights(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const had = await query<{ id: string }>(
    db,
    `select id from unnest($1::text[]) as wanted (id)
     where pg_try_advisory_xact_lock_shared(hashtextextended(id, 0))`,
    [[...new Set(ids)]],
  );
  return new Set(had.map(({ id }) => id));
}

const columns = 'id, version, access_version as "accessVersion", last_position as "lastPosition"';
const roomsInOrder = named(
  `select ${columns} from rooms where id = any($1::uuid[]) order by id for no key update`,
);

/** Locks those of these rooms that exist. */
export async function lockRooms(db: Db, ids: string[]): Promise<Map<string, LockedRoom>> {
  if (ids.length === 0) return new Map();
  return byId(await query(db, roomsInOrder, [ids]));
}

/** Locks those of these rooms that can be had at once, and says which exist besides. */
export async function tryLockRooms(
  db: Db,
  ids: string[],
): Promise<{ rooms: Map<string, LockedRoom>; held: string[] }> {
  if (ids.length === 0) return { rooms: new Map(), held: [] };
  const rooms = byId(
    await query(
      db,
      `select ${columns} from rooms where id = any($1::uuid[]) for no key update skip locked`,
      [ids],
    ),
  );
  const missing = ids.filter((id) => !rooms.has(id));
  if (missing.length === 0) return { rooms, held: [] };
  const held = await query<{ id: string }>(db, 'select id from rooms where id = any($1::uuid[])', [
    missing,
  ]);
  return { rooms, held: held.map(({ id }) => id) };
}

const byId = (rows: (LockedRoom & { id: string })[]): Map<string, LockedRoom> =>
  new Map(rows.map(({ id, ...room }) => [id, room]));
