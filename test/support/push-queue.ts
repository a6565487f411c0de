import { query, type Db } from '../../server/database/database.ts';

/** Ends waits for the next attempt, for a device in use, or for the pace of a place, but no send and no grace. */
export async function hurryPushes(db: Db): Promise<void> {
  await query(db, 'update push_paces set free_at = now() where free_at > now()');
  await query(
    db,
    `update pushes set due_at = now() where due_at > now() + interval '4 seconds' and not exists (
       select from push_paces join messages using (timeline_id)
       where push_paces.session_id = pushes.session_id and messages.id = pushes.message_id
         and leased_until > now())`,
  );
}
