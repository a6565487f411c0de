import { updateAllNames } from '../../server/people/name-search.ts';
import { query } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';

/** Adds members who never connect. Inserts rows, because signing each in and joining would take minutes. */
export async function addSilentMembers(
  { db }: TestApp,
  serverId: string,
  many: number,
  name: string | null = null,
): Promise<void> {
  await query(
    db,
    `with made as (
       insert into users (id, kind, display_name)
       select gen_random_uuid(), 'guest', coalesce($3, 'Guest ' || n) from generate_series(1, $2::int) as n
       returning id
     ), room as (
       insert into rooms (id, kind) select id, 'user' from made
     )
     insert into members (server_id, user_id, role, version, user_version)
     select $1::uuid, id, 'member', 1, 1 from made`,
    [serverId, many, name],
  );
  await updateAllNames(db);
}

/** Adds registered people who never sign in. Inserts rows, because registering each would take long. */
export async function addSilentPeople({ db }: TestApp, many: number, name: string): Promise<void> {
  await query(
    db,
    `with made as (
       insert into users (id, kind, username, password_hash, display_name)
       select gen_random_uuid(), 'registered', 'silent-' || n, '-', $2 || ' ' || n
       from generate_series(1, $1::int) as n
       returning id
     )
     insert into rooms (id, kind) select id, 'user' from made`,
    [many, name],
  );
  await updateAllNames(db);
}

/** Creates private channels in a category, each with the owner and the first others of the server. */
export async function fillPrivates(
  { db }: TestApp,
  { serverId, categoryId }: { serverId: string; categoryId: string | null },
  { many, members }: { many: number; members: number },
): Promise<void> {
  await query(
    db,
    `with channel as (
       select gen_random_uuid() as id, n from generate_series(1, $3::int) as n
     ), room as (
       insert into rooms (id, kind) select id, 'timeline' from channel
     ), made as (
       insert into channels (id, server_id, category_id, name, position, version, private)
       select id, $1, $2, 'p' || n, n, 0, true from channel returning id
     )
     insert into channel_members (channel_id, server_id, user_id, user_version)
     select made.id, $1, one.user_id, 1 from made cross join (
       select user_id from members where server_id = $1 order by role <> 'owner', user_id limit $4
     ) as one`,
    [serverId, categoryId, many, members],
  );
}
