import { query } from '../../server/database/database.ts';
import type { TestApp } from './app.ts';

/** Timelines that are full of one message, many times: put where it would be, since sending each would take minutes. */
export async function fillTimelines(
  { app }: Pick<TestApp, 'app'>,
  timelineIds: string[],
  { authorId, body, many }: { authorId: string; body: string; many: number },
): Promise<void> {
  await query(
    app.db,
    `with said as (
       insert into messages (id, timeline_id, author_id, position, version, body, created_at)
       select gen_random_uuid(), timeline_id, $2, n, n, $3, now()
       from unnest($1::uuid[]) as timeline_id, generate_series(1, $4::int) as n
     )
     update rooms set version = $4, last_position = $4 where id = any($1::uuid[])`,
    [timelineIds, authorId, body, many],
  );
}
