/** Keeps a statement waiting at a chosen place, as a busy database does at any. */
import { query, transaction } from '../../server/database/database.ts';
import { connectPatiently, type DatabaseAddress } from '../../server/database/connect.ts';
import { until } from './time.ts';

/**
 * Holds a lock on a table during `work`, so that statements on that table wait. A waiting reader sees the database as
 * of its arrival. `work` receives a function that waits until this many statements are blocked.
 */
export async function withTableLock<T>(
  where: DatabaseAddress,
  table: 'messages' | 'channels' | 'members' | 'users' | 'rooms' | 'reads',
  mode: 'share' | 'access exclusive',
  work: (blocked: (many?: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A test can be idle for long, but PostgreSQL ends a node's own transactions after five idle seconds.
  const sequelize = connectPatiently(where, () => Promise.resolve());
  try {
    return await transaction({ sequelize }, async (db) => {
      await query(db, `lock table ${table} in ${mode} mode`);
      // Tables of other databases have the same numbers.
      const waiting = () =>
        query(
          db,
          `select 1 from pg_locks join pg_database on pg_database.oid = pg_locks.database
           where datname = current_database() and relation = $1::regclass and not granted`,
          [table],
        );
      return work((many = 1) => until(async () => (await waiting()).length >= many));
    });
  } finally {
    await sequelize.close();
  }
}
