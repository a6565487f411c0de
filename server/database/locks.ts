/**
 * Locks are always taken in this order, so that transactions cannot deadlock: (a) an advisory lock for each server,
 * group or pair of people concerned: shared if the transaction relies on a right there, exclusive if it ends one; (b)
 * the rows of the rooms, by id; (c) only then, in new statements, read, check and write. So of a concurrent kick and
 * send, one always sees the other's result.
 */
import { named, query, type Db } from './database.ts';

/** Advisory lock keys of work that one node does at a time. */
export const exclusiveWork = {
  migrations: 7_246_501,
  'ended timelines': 7_246_502,
  'search index': 7_246_503,
  'member lists': 7_246_504,
} as const;

/** Locks `work` until the transaction ends. Returns false if another transaction holds the lock. */
export async function tryLockWork(db: Db, work: keyof typeof exclusiveWork): Promise<boolean> {
  const [lock] = await query<{ isMine: boolean }>(
    db,
    'select pg_try_advisory_xact_lock($1) as "isMine"',
    [exclusiveWork[work]],
  );
  return lock?.isMine === true;
}

export interface RightLocks {
  /** Where the transaction relies on a right: ids of servers and groups, and keys of `pairLock`. */
  shared?: string[];
  /** Where the transaction can end a right. An id that is also in `shared` is locked once, exclusively. */
  exclusive?: string[];
}

export interface LockedRoom {
  version: number;
  accessVersion: number;
  lastPosition: number;
}

/** The lock key for the rights of two people towards each other, even if nothing connects them yet. */
export const pairLock = (a: string, b: string): string => [a, b].sort().join(' ');

// unnest keeps the order of the arrays.
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

const freeLocks = named(
  `select id from unnest($1::text[]) as wanted (id)
   where pg_try_advisory_xact_lock_shared(hashtextextended(id, 0))`,
);

/** Takes the shared locks that are free, and returns their ids. Waiting exclusive locks go first. */
export async function tryLockRights(db: Db, ids: string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const had = await query<{ id: string }>(db, freeLocks, [[...new Set(ids)]]);
  return new Set(had.map(({ id }) => id));
}

const columns = 'id, version, access_version as "accessVersion", last_position as "lastPosition"';
const roomsInOrder = named(
  `select ${columns} from rooms where id = any($1::uuid[]) order by id for no key update`,
);

const freeRooms = named(
  `select ${columns} from rooms where id = any($1::uuid[]) for no key update skip locked`,
);

export async function lockRooms(db: Db, ids: string[]): Promise<Map<string, LockedRoom>> {
  if (ids.length === 0) return new Map();
  return byId(await query(db, roomsInOrder, [ids]));
}

/** Locks the rows of the rooms that are free, without waiting. `held` has the other rooms that exist. */
export async function tryLockRooms(
  db: Db,
  ids: string[],
): Promise<{ rooms: Map<string, LockedRoom>; held: string[] }> {
  if (ids.length === 0) return { rooms: new Map(), held: [] };
  const rooms = byId(await query(db, freeRooms, [ids]));
  const missing = ids.filter((id) => !rooms.has(id));
  if (missing.length === 0) return { rooms, held: [] };
  const held = await query<{ id: string }>(db, 'select id from rooms where id = any($1::uuid[])', [
    missing,
  ]);
  return { rooms, held: held.map(({ id }) => id) };
}

const byId = (rows: (LockedRoom & { id: string })[]): Map<string, LockedRoom> =>
  new Map(rows.map(({ id, ...room }) => [id, room]));
