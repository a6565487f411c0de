/** Keeps a statement waiting at a place of a test's choice, as a busy database would at a place of its own. */
import { query, transaction } from '../../server/database/database.ts';
import { connectPatiently, type DatabaseAddress } from '../../server/database/connect.ts';
import { until } from './time.ts';

/**
 * Holds a lock on a table while `work` is done, so that whatever comes to that table then waits. A reader
 * that waits sees the database as it was when it came. `work` is given a way to wait until so many wait for it.
 */
export async function withTableLock<T>(
  where: DatabaseAddress,
  table: 'messages' | 'channels' | 'members' | 'users' | 'rooms' | 'reads',
  mode: 'share' | 'access exclusive',
  work: (blocked: (many?: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  // A test may take its time: PostgreSQL ends a node's own transactions that do nothing for five seconds.
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
