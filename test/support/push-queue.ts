import { query, type Db } from '../../server/database/database.ts';

/**
 * Ends waits for the next attempt, for a device in use, or for the pace of a place, but no send. Ends the time that
 * people are given to read only with `graceSeconds` 0.
 */
export async function hurryPushes(db: Db, graceSeconds = 4): Promise<void> {
  await query(db, 'update push_paces set free_at = now() where free_at > now()');
  await query(
    db,
    `update pushes set due_at = now() where due_at > now() + $1 * interval '1 second' and not exists (
       select from push_paces join messages using (timeline_id)
       where push_paces.session_id = pushes.session_id and messages.id = pushes.message_id
         and leased_until > now())`,
    [graceSeconds],
  );
}
