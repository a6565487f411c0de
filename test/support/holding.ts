/** Keeps a statement waiting at a place of a test's choice, as a busy database would at a place of its own. */
import {
  connect,
  query,
  transaction,
  type DatabaseAddress,
} from '../../server/database/database.ts';
import { until } from './time.ts';

/**
 * Holds a lock on a table while `work` is done, so that whatever comes to that table then waits. A reader
 * that waits sees the database as it was when it came. `work` is given a way to wait until so many wait for it.
 */
export async function holding<T>(
  where: DatabaseAddress,
  table: 'messages' | 'channels' | 'members' | 'users' | 'rooms',
  mode: 'share' | 'access exclusive',
  work: (blocked: (many?: number) => Promise<void>) => Promise<T>,
): Promise<T> {
  const sequelize = connect(where, 1);
  try {
    return await transaction({ sequelize }, async (db) => {
      await query(db, `lock table ${table} in ${mode} mode`);
      const waiting = () =>
        query(db, `select 1 from pg_locks where relation = $1::regclass and not granted`, [table]);
      return work((many = 1) => until(async () => (await waiting()).length >= many));
    });
  } finally {
    await sequelize.close();
  }
}
