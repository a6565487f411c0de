import type { ChosenStatus } from '../../shared/presence.ts';
import { named, query, type Db } from '../database/database.ts';

const statusesOf = named(
  'select user_id as "userId", status from statuses where user_id = any($1::uuid[])',
);

export const findStatuses = (
  db: Db,
  userIds: string[],
): Promise<{ userId: string; status: ChosenStatus }[]> => query(db, statusesOf, [userIds]);

export async function saveStatus(db: Db, userId: string, status: ChosenStatus): Promise<void> {
  await query(
    db,
    `insert into statuses (user_id, status) values ($1, $2)
     on conflict (user_id) do update set status = excluded.status`,
    [userId, status],
  );
}
