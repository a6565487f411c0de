/** Messages due for devices. Both tables stay short: rows that are not sent in time are dropped. */
import { named, query, type Db } from '../database/database.ts';

/** Messages older than this are not worth a notification. */
const longest = `interval '1 hour'`;

const queueing = named(
  `insert into push_queue (message_id) select unnest($1::uuid[])
   where exists (select from push_subscriptions where endpoint is not null) on conflict do nothing`,
);

export async function insertQueued(db: Db, messageIds: string[]): Promise<void> {
  if (messageIds.length > 0) await query(db, queueing, [messageIds]);
}

/**
 * Finds the sessions to notify, from the few people who could want these messages: in a channel of ten thousand, people
 * who want only mentions are not considered. The final decision is made when a push is due.
 */
const spreading = named(
  `with taken as (
     delete from push_queue where message_id = any (array(
       select message_id from push_queue order by queued_at limit $1 for update skip locked))
     returning message_id as id, queued_at
   ), fresh as materialized (
     select taken.id, queued_at, timeline_id, messages.position, author_id, calls, server_id
     from taken join messages using (id) left join channels on channels.id = timeline_id
     where deleted_at is null and kind is null and queued_at > now() - ${longest}
   ), called as (
     select fresh.id, user_id from fresh join participants on conversation_id = timeline_id
     where not ignored
     union select fresh.id, user_id from fresh join mentions using (timeline_id, position)
     union select fresh.id, members.user_id from fresh join members using (server_id)
       join push_subscriptions using (user_id) where calls is not null
     union select fresh.id, user_id from fresh
       join notification_settings on target_id in (timeline_id, server_id) and level = 'all'
     union select fresh.id, members.user_id from fresh join members using (server_id)
       join notification_settings as settings
         on settings.user_id = members.user_id and target_id = settings.user_id
           and (level = 'all' or keywords is not null)
   ), wanted as (
     select session_id, id, queued_at, row_number() over (
       partition by session_id, timeline_id order by position desc) as place
     from called join fresh using (id) join push_subscriptions using (user_id)
     where user_id <> author_id and endpoint is not null
   )
   insert into pushes (session_id, message_id, queued_at, due_at)
   select session_id, id, queued_at, queued_at + $2 * interval '1 millisecond'
   from wanted join push_subscriptions using (session_id)
   where place <= $3 for key share of push_subscriptions
   on conflict do nothing returning session_id as "sessionId"`,
);

/** Takes up to `limit` new messages. Returns the sessions that get pushes for them. */
export async function spread(
  db: Db,
  { limit, graceMs, perTimeline }: Record<'limit' | 'graceMs' | 'perTimeline', number>,
): Promise<string[]> {
  const rows = await query<{ sessionId: string }>(db, spreading, [limit, graceMs, perTimeline]);
  return [...new Set(rows.map(({ sessionId }) => sessionId))];
}

/** Keeps only the newest pushes of each session. */
export async function deleteSurplusPushes(
  db: Db,
  sessionIds: string[],
  limit: number,
): Promise<void> {
  await query(
    db,
    `delete from pushes using (
       select session_id, message_id, row_number() over (
         partition by session_id order by queued_at desc, message_id desc) as place
       from pushes where session_id = any($1::uuid[])
     ) as all_due
     where place > $2 and pushes.session_id = all_due.session_id
       and pushes.message_id = all_due.message_id`,
    [sessionIds, limit],
  );
}

export interface Push {
  sessionId: string;
  messageId: string;
  /** The number of attempts, including this one. */
  attempts: number;
}

const claiming = named(
  `with old as (delete from pushes where queued_at < now() - ${longest})
   update pushes set due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
   where (session_id, message_id) in (
     select session_id, message_id from pushes where due_at <= now()
       and queued_at >= now() - ${longest}
     order by due_at limit $1 for update skip locked)
   returning session_id as "sessionId", message_id as "messageId", attempts`,
);

/** Takes up to `limit` due pushes, and makes them due again after `forMs`: no other node takes them meanwhile. */
export const claim = (db: Db, limit: number, forMs: number): Promise<Push[]> =>
  query<Push>(db, claiming, [limit, forMs]);

export async function deletePush(db: Db, { sessionId, messageId }: Push): Promise<void> {
  await query(db, 'delete from pushes where session_id = $1 and message_id = $2', [
    sessionId,
    messageId,
  ]);
}

export async function postpone(
  db: Db,
  { sessionId, messageId, attempts }: Push,
  ms: number,
): Promise<void> {
  await query(
    db,
    `update pushes set due_at = now() + $3 * interval '1 millisecond', attempts = $4
     where session_id = $1 and message_id = $2`,
    [sessionId, messageId, ms, attempts],
  );
}
