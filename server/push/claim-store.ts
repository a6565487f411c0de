/** How nodes share the due pushes: each place is claimed by one node at a time, and then rests. */
import { query, type Db } from '../database/database.ts';

/** Messages older than this are not worth a notification. */
export const maxAge = `interval '1 hour'`;

/** A timeline with messages due for one device, which they reach as one push. */
export interface DuePlace {
  sessionId: string;
  userId: string;
  timelineId: string;
  /** Empty if other work took the messages at the same moment. */
  messageIds: string[];
  /** Those that have not waited yet because a device was in use. The person wanted the others then. */
  unjudgedIds: string[];
  /** Set by the database. A claim that has expired no longer equals that of the place. */
  leasedUntil: string;
}

/** SQL: the timeline of a push; without its message, an id that no timeline has, so that the push is claimed and dropped. */
const timelineOf = `coalesce(
  (select timeline_id from messages where messages.id = pushes.message_id), pushes.message_id)`;

// Not prepared: PostgreSQL would keep a plan made for empty tables, whose time grows with the square of their rows.
const claiming = `
  with due as (
    select session_id, ${timelineOf} as timeline_id from pushes
    where due_at <= now() and queued_at >= now() - ${maxAge} and not exists (
      select from push_paces where greatest(free_at, leased_until) > now()
        and push_paces.session_id = pushes.session_id and push_paces.timeline_id = ${timelineOf})
    order by turn, due_at limit $1 for update of pushes skip locked
  ), places as (
    insert into push_paces (session_id, timeline_id, leased_until)
    select distinct session_id, timeline_id, now() + $2 * interval '1 millisecond' from due
    order by session_id, timeline_id
    on conflict (session_id, timeline_id) do update set leased_until = excluded.leased_until
      where greatest(push_paces.free_at, push_paces.leased_until) <= now()
    returning session_id, timeline_id, leased_until
  ), found as (
    select pushes.session_id, message_id, places.timeline_id from places
    join pushes on pushes.session_id = places.session_id and ${timelineOf} = places.timeline_id
    where due_at <= now() for update of pushes skip locked
  ), claimed as (
    update pushes set due_at = now() + $2 * interval '1 millisecond', attempts = attempts + 1
    from found where pushes.session_id = found.session_id and pushes.message_id = found.message_id
    returning pushes.session_id, timeline_id, pushes.message_id, judged
  )
  select session_id as "sessionId", user_id as "userId", timeline_id as "timelineId",
    array_remove(array_agg(message_id::text), null) as "messageIds",
    coalesce(array_agg(message_id::text) filter (where not judged), '{}') as "unjudgedIds",
    leased_until::text as "leasedUntil"
  from places join push_subscriptions using (session_id)
  left join claimed using (session_id, timeline_id)
  group by session_id, user_id, timeline_id, leased_until`;

/**
 * Takes the places of up to `limit` due messages for `forMs`: no other node takes them meanwhile. Lower turns come first,
 * so that a device with many pushes does not delay those of others.
 */
export const claim = (db: Db, limit: number, forMs: number): Promise<DuePlace[]> =>
  query<DuePlace>(db, claiming, [limit, forMs]);

// Not prepared, like `claiming`. Waits only for the place: a message that is locked is being deleted, or claimed in vain.
const resting = `
  with paced as (
    update push_paces set free_at = now() + $4 * interval '1 millisecond', leased_until = '-infinity'
    where session_id = $1 and timeline_id = $2 and leased_until = $5::timestamptz
    returning free_at
  ), waiting as (
    select message_id from pushes
    where session_id = $1 and (message_id = any($3::uuid[]) or ${timelineOf} = $2)
      and exists (select from paced)
    for update skip locked
  )
  update pushes
  set due_at = case when message_id = any($3::uuid[]) then free_at else greatest(due_at, free_at) end
  from paced where session_id = $1 and message_id in (table waiting)`;

/**
 * Ends the claim of a place, which can be claimed again after `ms`, with its messages and with those that came meanwhile.
 * Does nothing once the claim has expired, because another node can have claimed the place.
 */
export async function restPlace(
  db: Db,
  { sessionId, timelineId, messageIds, leasedUntil }: DuePlace,
  ms: number,
): Promise<void> {
  await query(db, resting, [sessionId, timelineId, messageIds, ms, leasedUntil]);
}

/**
 * Ends the rest of all places of a device, which has a new address. Messages under way to the former one are tried again
 * when their claim expires.
 */
export async function freePlaces(db: Db, sessionId: string): Promise<void> {
  await query(
    db,
    `update pushes set due_at = least(due_at, now() + interval '3 seconds')
     where session_id = $1 and message_id in (
       select message_id from pushes where session_id = $1 and not exists (
         select from push_paces where session_id = $1 and timeline_id = ${timelineOf} and leased_until > now())
       for update skip locked)`,
    [sessionId],
  );
  await query(
    db,
    // In the order of `claiming`, which holds one place while it waits for the next.
    `delete from push_paces where (session_id, timeline_id) in (
       select session_id, timeline_id from push_paces where session_id = $1
       order by timeline_id for update)`,
    [sessionId],
  );
}
