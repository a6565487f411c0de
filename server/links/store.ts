import { named, query, type Db } from '../database/database.ts';

/** The former links of a message that is queued already are those that all of its texts since then had. */
const queueing = named(
  `insert into preview_queue (message_id, former)
   select (one->>'messageId')::uuid, array(select jsonb_array_elements_text(one->'former'))
   from jsonb_array_elements($1::jsonb) as one
   on conflict (message_id) do update
   set queued_at = clock_timestamp(), due_at = now(), attempts = 0, former = array(
     select unnest(preview_queue.former) intersect select unnest(excluded.former))`,
);

export async function insertQueued(
  db: Db,
  queued: { messageId: string; former: string[] }[],
): Promise<void> {
  await query(db, queueing, [JSON.stringify(queued)]);
}
