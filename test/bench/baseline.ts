/**
 * One transaction for each message, as in most chat servers. Uses the same tables, pool and raw bound statements; locks
 * the row of the timeline for the next position, and looks up the right.
 */
import { query, transaction, type Db } from '../../server/database/database.ts';

export const writeAlone = (
  db: Db,
  message: { id: string; timelineId: string; user: { id: string }; body: string },
): Promise<void> =>
  transaction(db, async (db) => {
    const { id, timelineId, user, body } = message;
    const rights = await query(
      db,
      `select role from members join channels on channels.server_id = members.server_id
       where channels.id = $1 and members.user_id = $2`,
      [timelineId, user.id],
    );
    if (rights.length === 0) throw new Error('not a member');
    const [room] = await query<{ position: number; version: number }>(
      db,
      `update rooms set version = version + 1, last_position = last_position + 1
       where id = $1 returning last_position as position, version`,
      [timelineId],
    );
    await query(
      db,
      `insert into messages (id, timeline_id, author_id, position, version, body, created_at)
       values ($1, $2, $3, $4, $5, $6, clock_timestamp())`,
      [id, timelineId, user.id, room?.position, room?.version, body],
    );
  });
