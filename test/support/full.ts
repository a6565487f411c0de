import { query } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';
import type { Person } from './person.ts';

/**
 * Adds copies of one message to timelines, with `{position}` in the body replaced. Inserts rows, because sending each
 * would take minutes. Clients that are connected receive nothing.
 */
export async function fillTimelines(
  { db }: Pick<TestApp, 'db'>,
  timelineIds: string[],
  { authorId, body, many }: { authorId: string; body: string; many: number },
): Promise<void> {
  await query(
    db,
    `with said as (
       insert into messages (id, timeline_id, author_id, position, version, body, created_at)
       select gen_random_uuid(), id, $2, last_position + n, version + n,
         replace($3, '{position}', (last_position + n)::text), now()
       from rooms, generate_series(1, $4::int) as n where id = any($1::uuid[])
     )
     update rooms set version = version + $4, last_position = last_position + $4
     where id = any($1::uuid[])`,
    [timelineIds, authorId, body, many],
  );
}

/** Gives a person `many` friends, requests and blocks, and as many groups of ten. */
export async function fillOwnRoom(
  { db }: Pick<TestApp, 'db'>,
  userId: string,
  many: number,
): Promise<void> {
  await query(
    db,
    `with crowd as (
       select gen_random_uuid() as id, gen_random_uuid() as request_id, gen_random_uuid() as group_id, n
       from generate_series(0, $2::int - 1) as n
     ), room as (
       insert into rooms (id, kind)
       select id, 'user' from crowd union all select group_id, 'timeline' from crowd
     ), made as (
       insert into users (id, kind, display_name) select id, 'guest', $3 from crowd
     ), friend as (
       insert into friendships (user_id, friend_id, id, nickname, version)
       select $1::uuid, id, request_id, $3, 1 from crowd
     ), request as (
       insert into friend_requests (id, sender_id, recipient_id, note, hidden, sender_version, recipient_version)
       select request_id, id, $1, repeat('😀', 200), false, 1, 1 from crowd
     ), block as (
       insert into blocks (user_id, blocked_id, version) select $1, id, 1 from crowd
     ), talk as (
       insert into conversations (id, kind, name, creator_id) select group_id, 'group', $3, id from crowd
     )
     insert into participants (conversation_id, user_id, version)
     select group_id, $1, 1 from crowd
     union all
     select one.group_id, other.id, 1 from crowd as one join crowd as other
       on (other.n - one.n + $2) % $2 < 9`,
    [userId, many, '😀'.repeat(64)],
  );
  await query(db, 'analyze');
}

/** Puts the person into this many groups, as requests if `by` is given. */
export const addGroups = (
  { db }: TestApp,
  { id }: Person,
  count: number,
  by: string | null = null,
) =>
  query(
    db,
    `with made as (
       insert into rooms (id, kind) select gen_random_uuid(), 'timeline'
       from generate_series(1, $2) returning id
     ), groups as (
       insert into conversations (id, kind, creator_id) select id, 'group', $1 from made returning id
     ) insert into participants (conversation_id, user_id, version, requested_by, requested_at)
       select id, $1, 0, $3, case when $3::uuid is null then null else now() end from groups`,
    [id, count, by],
  );
