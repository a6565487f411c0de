import { query, type Db } from '../database/database.ts';

interface Target {
  serverId: string;
  userId: string;
}

export async function saveTimeout(
  db: Db,
  { serverId, userId }: Target,
  seconds: number,
): Promise<void> {
  await query(
    db,
    `insert into timeouts (server_id, user_id, until) values ($1, $2, now() + $3 * interval '1 second')
     on conflict (user_id, server_id) do update set until = excluded.until`,
    [serverId, userId, seconds],
  );
}

export async function deleteTimeout(db: Db, { serverId, userId }: Target): Promise<void> {
  await query(db, 'delete from timeouts where server_id = $1 and user_id = $2', [serverId, userId]);
}

/** The longest over first. */
export const findEndedTimeouts = (db: Db, limit: number): Promise<Target[]> =>
  query<Target>(
    db,
    `select server_id as "serverId", user_id as "userId" from timeouts
     where until <= now() order by until limit $1`,
    [limit],
  );

/** Returns false if it was ended, or made longer, meanwhile. */
export async function deleteEndedTimeout(db: Db, { serverId, userId }: Target): Promise<boolean> {
  const ended = await query(
    db,
    `delete from timeouts where server_id = $1 and user_id = $2 and until <= now() returning 1 as one`,
    [serverId, userId],
  );
  return ended.length > 0;
}
