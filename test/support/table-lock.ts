/** Keeps a statement waiting at a chosen place, as a busy database does at any. */
import { query, transaction, type Db } from '../../server/database/database.ts';
import { connectPatiently, type DatabaseAddress } from '../../server/database/connect.ts';
import { until } from './time.ts';

/** True while a statement waits for a lock in this database. Other tests use other databases of the same PostgreSQL. */
export const isBlocked = async (db: Db): Promise<boolean> => (await countBlocked(db)) > 0;

export async function countBlocked(db: Db): Promise<number> {
  const waiting = await query(
    db,
    `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  );
  return waiting.length;
}

/** True while a transaction waits for the right lock of this server. */
export async function isRightLockAwaited(db: Db, serverId: string): Promise<boolean> {
  const waiting = await query(
    db,
    `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
     where datname = current_database() and locktype = 'advisory' and not granted
       and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 0)`,
    [serverId],
  );
  return waiting.length > 0;
}

/**
 * Holds a lock on a table during `work`, so that statements on that table wait. A waiting reader sees the database as
 * of its arrival. `work` receives a function that waits until this many statements are blocked.
 */
export async function withTableLock<T>(
  where: DatabaseAddress,
  table: 'messages' | 'channels' | 'members' | 'users' | 'rooms' | 'reads' | 'participants',
  mode: 'share' | 'access exclusive',
  work: (blocked: (many?: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  return within(where, async (db) => {
    await query(db, `lock table ${table} in ${mode} mode`);
    return work(blockedBy(db, 'relation = $1::regclass', [table]));
  });
}

/** Holds the right lock of a server exclusively (see database/locks.ts), as someone does who removes a member. */
export const withRightLock = <T>(
  where: DatabaseAddress,
  serverId: string,
  work: (blocked: (many?: number) => Promise<void>) => Promise<T>,
): Promise<T> =>
  within(where, async (db) => {
    await query(db, 'select pg_advisory_xact_lock(hashtextextended($1, 0))', [serverId]);
    return work(blockedBy(db, `locktype = 'advisory'`));
  });

async function within<T>(where: DatabaseAddress, work: (db: Db) => Promise<T>): Promise<T> {
  // A test can be idle for long, but PostgreSQL ends a node's own transactions after five idle seconds.
  const sequelize = connectPatiently(where, () => Promise.resolve());
  try {
    return await transaction({ sequelize }, work);
  } finally {
    await sequelize.close();
  }
}

const blockedBy =
  (db: Db, which: string, values: string[] = []) =>
  (many = 1) =>
    until(async () => {
      // Tables of other databases have the same numbers.
      const waiting = await query(
        db,
        `select from pg_locks join pg_database on pg_database.oid = pg_locks.database
         where datname = current_database() and not granted and ${which}`,
        values,
      );
      return waiting.length >= many;
    });
