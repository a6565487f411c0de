/** Messages due for devices. Both tables stay short: rows that are not sent in time are dropped. */
import { named, query, type Db } from '../database/database.ts';
import { maxAge, type DuePlace } from './claim-store.ts';

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
     where deleted_at is null and kind is null and queued_at > now() - ${maxAge}
   ), called as (
     select fresh.id, user_id, true as certain from fresh
       join participants on conversation_id = timeline_id where not ignored
     union select fresh.id, user_id, true from fresh join mentions using (timeline_id, position)
     union select fresh.id, members.user_id, true from fresh join members using (server_id)
       join push_subscriptions using (user_id) where calls is not null
     union select fresh.id, user_id, false from fresh
       join notification_settings on target_id in (timeline_id, server_id) and level = 'all'
     union select fresh.id, members.user_id, false from fresh join members using (server_id)
       join notification_settings as settings
         on settings.user_id = members.user_id and target_id = settings.user_id
           and (level = 'all' or keywords is not null)
   ), wanted as (
     select session_id, id, queued_at, timeline_id, certain,
       row_number() over (partition by session_id, timeline_id, certain order by position desc) as place
     from (select id, user_id, bool_or(certain) as certain from called group by id, user_id) as called
     join fresh using (id) join push_subscriptions using (user_id)
     where user_id <> author_id and endpoint is not null
   ), newest as (
     select session_id, id, queued_at, timeline_id, certain,
       row_number() over (partition by session_id order by queued_at) - 1 as ahead
     from wanted where place <= $3
   ), added as (
     insert into pushes (session_id, message_id, queued_at, certain, due_at, turn)
     select session_id, id, queued_at, certain,
       greatest(queued_at + $2 * interval '1 millisecond', (
         select free_at from push_paces where push_paces.session_id = newest.session_id
           and push_paces.timeline_id = newest.timeline_id)),
       ahead + (select count(*) from pushes where pushes.session_id = newest.session_id)
     from newest join push_subscriptions using (session_id)
     for key share of push_subscriptions
     on conflict do nothing returning session_id
   )
   select (select count(*) from taken)::int as taken,
     coalesce((select array_agg(distinct session_id) from added), '{}') as "sessionIds"`,
);

export interface Spread {
  /** The number of new messages. */
  taken: number;
  /** The sessions that get pushes for them. */
  sessionIds: string[];
}

/** Takes up to `limit` new messages. The turn of a push is the number of pushes that wait for its device before it. */
export async function spread(
  db: Db,
  { limit, graceMs, perTimeline }: Record<'limit' | 'graceMs' | 'perTimeline', number>,
): Promise<Spread> {
  const [done] = await query<Spread>(db, spreading, [limit, graceMs, perTimeline]);
  return done ?? { taken: 0, sessionIds: [] };
}

/**
 * Keeps some of each kind, because candidates must not push out messages that are wanted. The newest of each timeline come
 * first, because one that is muted must not push out others.
 */
export async function deleteSurplusPushes(
  db: Db,
  sessionIds: string[],
  limit: number,
): Promise<void> {
  await query(
    db,
    `delete from pushes where (session_id, message_id) in (
       select session_id, message_id from pushes where (session_id, message_id) in (
         select session_id, message_id from (
           select session_id, message_id, row_number() over (
             partition by session_id, judged, certain
             order by place_there, queued_at desc, message_id desc) as place
           from (
             select pushes.*, row_number() over (
               partition by session_id, judged, certain, timeline_id
               order by queued_at desc, message_id desc) as place_there
             from pushes left join messages on messages.id = message_id
             where session_id = any($1::uuid[])
           ) as by_timeline
         ) as all_due where place > $2)
       for update skip locked)`,
    [sessionIds, limit],
  );
}

export async function deleteExpired(db: Db): Promise<void> {
  await query(
    db,
    `delete from pushes where (session_id, message_id) in (
       select session_id, message_id from pushes where queued_at < now() - ${maxAge}
       for update skip locked)`,
  );
  await query(
    db,
    `delete from push_paces where (session_id, timeline_id) in (
       select session_id, timeline_id from push_paces
       where greatest(free_at, leased_until) < now() - interval '1 minute' for update skip locked)`,
  );
}

const postponing = named(
  `with claimed as (select * from unnest($2::uuid[], $3::uuid[]) as claimed (session_id, message_id))
   update pushes set judged = true, due_at = now() + $4 * interval '1 millisecond',
     attempts = attempts - ((session_id, message_id) in (table claimed))::int
   where (session_id, message_id) in (
     select pushes.session_id, message_id from pushes join push_subscriptions using (session_id)
     where user_id = any($1::uuid[])
       and (judged and due_at <= now() or (pushes.session_id, message_id) in (table claimed))
     for update of pushes skip locked)`,
);

const deletingRead = named(
  `delete from pushes where (session_id, message_id) in (
     select pushes.session_id, message_id from pushes join push_subscriptions using (session_id)
     left join messages on messages.id = message_id
     left join reads on reads.user_id = push_subscriptions.user_id
       and reads.timeline_id = messages.timeline_id
     where push_subscriptions.user_id = any($1::uuid[])
       and (messages.id is null or deleted_at is not null or messages.position <= reads.position)
     for update of pushes skip locked)`,
);

/** Deletes the pushes of these people for messages that are read or deleted. */
export async function deleteRead(db: Db, userIds: string[]): Promise<void> {
  await query(db, deletingRead, [userIds]);
}

/**
 * Makes the claimed messages, which count as judged from now on, and all judged ones of the same people that are due, due
 * again after `ms`. No attempt counts.
 */
export async function postponeAll(db: Db, claimed: readonly DuePlace[], ms: number): Promise<void> {
  const each = claimed.flatMap(({ sessionId, messageIds }) =>
    messageIds.map((messageId) => ({ sessionId, messageId })),
  );
  await query(db, postponing, [
    claimed.map(({ userId }) => userId),
    each.map(({ sessionId }) => sessionId),
    each.map(({ messageId }) => messageId),
    ms,
  ]);
}

export async function deleteMessages(
  db: Db,
  { sessionId }: Pick<DuePlace, 'sessionId'>,
  messageIds: string[],
): Promise<void> {
  await query(db, 'delete from pushes where session_id = $1 and message_id = any($2::uuid[])', [
    sessionId,
    messageIds,
  ]);
}

/**
 * Deletes those of the messages that were tried more than `times` times, this time included. Returns the largest number of
 * attempts of the others, or zero.
 */
export async function deleteTried(
  db: Db,
  { sessionId, messageIds }: DuePlace,
  times: number,
): Promise<number> {
  const [left] = await query<{ attempts: number }>(
    db,
    `with tried as (
       select message_id, attempts from pushes where session_id = $1 and message_id = any($2::uuid[])
     ), deleted as (
       delete from pushes where session_id = $1
         and message_id in (select message_id from tried where attempts > $3)
     )
     select coalesce(max(attempts), 0) as attempts from tried where attempts <= $3`,
    [sessionId, messageIds, times],
  );
  return left?.attempts ?? 0;
}
