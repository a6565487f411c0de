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
     select session_id, id, queued_at, timeline_id,
       row_number() over (partition by session_id, timeline_id order by position desc) as place
     from called join fresh using (id) join push_subscriptions using (user_id)
     where user_id <> author_id and endpoint is not null
   ), newest as (
     select session_id, id, queued_at, timeline_id,
       row_number() over (partition by session_id order by queued_at) - 1 as ahead
     from wanted where place <= $3
   ), added as (
     insert into pushes (session_id, message_id, queued_at, due_at, turn)
     select session_id, id, queued_at,
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

/** Keeps the newest of each kind: messages that nobody judged yet must not push out notifications that are wanted. */
export async function deleteSurplusPushes(
  db: Db,
  sessionIds: string[],
  limit: number,
): Promise<void> {
  await query(
    db,
    `delete from pushes using (
       select session_id, message_id, row_number() over (
         partition by session_id, judged order by queued_at desc, message_id desc) as place
       from pushes where session_id = any($1::uuid[])
     ) as all_due
     where place > $2 and pushes.session_id = all_due.session_id
       and pushes.message_id = all_due.message_id`,
    [sessionIds, limit],
  );
}

/** A timeline with messages due for one device, which they reach as one push. */
export interface DuePlace {
  sessionId: string;
  userId: string;
  timelineId: string;
  messageIds: string[];
  /** The number of attempts, including this one. */
  attempts: number;
  /** True if all have waited because a device was in use: the person wanted them then. */
  judged: boolean;
}

const claiming = named(
  `with due as (
     select session_id, timeline_id from pushes join messages on messages.id = message_id
     where due_at <= now() and queued_at >= now() - ${longest} and not exists (
       select from push_paces where free_at > now()
         and push_paces.session_id = pushes.session_id
         and push_paces.timeline_id = messages.timeline_id)
     order by turn, due_at limit $1
   ), places as (
     insert into push_paces (session_id, timeline_id, free_at)
     select distinct session_id, timeline_id, now() + $2 * interval '1 millisecond' from due
     order by session_id, timeline_id
     on conflict (session_id, timeline_id) do update set free_at = excluded.free_at
       where push_paces.free_at <= now()
     returning session_id, timeline_id
   ), claimed as (
     update pushes set due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
     from places, messages
     where pushes.session_id = places.session_id and due_at <= now()
       and messages.id = message_id and messages.timeline_id = places.timeline_id
     returning pushes.session_id, messages.timeline_id, message_id, attempts, judged
   )
   select session_id as "sessionId", user_id as "userId", timeline_id as "timelineId",
     array_agg(message_id::text) as "messageIds", max(attempts) as attempts, bool_and(judged) as judged
   from claimed join push_subscriptions using (session_id)
   group by session_id, user_id, timeline_id`,
);

/**
 * Takes up to `limit` due places for `forMs`: no other node takes them meanwhile. Lower turns come first, so that a device
 * with many pushes does not delay those of others.
 */
export const claim = (db: Db, limit: number, forMs: number): Promise<DuePlace[]> =>
  query<DuePlace>(db, claiming, [limit, forMs]);

export async function deleteExpired(db: Db): Promise<void> {
  await query(db, `delete from pushes where queued_at < now() - ${longest}`);
  await query(db, `delete from push_paces where free_at < now() - interval '1 minute'`);
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
     join messages on messages.id = message_id
     left join reads on reads.user_id = push_subscriptions.user_id
       and reads.timeline_id = messages.timeline_id
     where push_subscriptions.user_id = any($1::uuid[])
       and (deleted_at is not null or messages.position <= reads.position)
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

const resting = named(
  `with places as (select * from unnest($1::uuid[], $2::uuid[]) as place (session_id, timeline_id)),
   paced as (
     update push_paces set free_at = now() + $3 * interval '1 millisecond'
     from places where push_paces.session_id = places.session_id
       and push_paces.timeline_id = places.timeline_id)
   update pushes
   set due_at = now() + greatest($3, extract(epoch from queued_at - now()) * 1000 + $4) * interval '1 millisecond'
   from places, messages where pushes.session_id = places.session_id
     and messages.id = message_id and messages.timeline_id = places.timeline_id`,
);

/** Lets claimed places be claimed again after `ms`, also for messages that came meanwhile, which wait for `graceMs`. */
export async function restPlaces(
  db: Db,
  places: readonly DuePlace[],
  { ms, graceMs }: Record<'ms' | 'graceMs', number>,
): Promise<void> {
  const sessionIds = places.map(({ sessionId }) => sessionId);
  const timelineIds = places.map(({ timelineId }) => timelineId);
  await query(db, resting, [sessionIds, timelineIds, ms, graceMs]);
}
