import { keepAllNames } from '../../server/accounts/name-search.ts';
import { query } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';

/** Members who never come: put where they would be, since making each would take a minute. */
export async function fill({ app }: TestApp, serverId: string, many: number): Promise<void> {
  await query(
    app.db,
    `with made as (
       insert into users (id, kind, display_name)
       select gen_random_uuid(), 'guest', 'Guest ' || n from generate_series(1, $2::int) as n
       returning id
     ), room as (
       insert into rooms (id, kind) select id, 'user' from made
     )
     insert into members (server_id, user_id, role, version, user_version)
     select $1::uuid, id, 'member', 1, 1 from made`,
    [serverId, many],
  );
  await keepAllNames(app.db);
}
