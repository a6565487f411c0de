/** Keeps a statement waiting at a place of a test's choice, as a busy database would at a place of its own. */
import { connect, query, transaction, type Connection } from '../../server/database/database.ts';

/**
 * Holds a lock on a table while `work` is done, so that whatever comes to that table then waits. A reader
 * that waits sees the database as it was when it came.
 */
export async function holding<T>(
  where: Connection,
  table: 'messages' | 'channels' | 'users' | 'rooms',
  mode: 'share' | 'access exclusive',
  work: () => Promise<T>,
): Promise<T> {
  const sequelize = connect(where, 1);
  try {
    return await transaction({ sequelize }, async (db) => {
      await query(db, `lock table ${table} in ${mode} mode`);
      return work();
    });
  } finally {
    await sequelize.close();
  }
}
