import { query, type Db } from '../database/database.ts';
import type { RowQuery } from '../messages/part.ts';

/** The messages of timeline $1 that were pinned before $2. */
export const pinnedBefore: RowQuery = {
  rows: `select * from messages
    where timeline_id = $1 and pinned is not null and ($2::text is null or pinned->>'at' < $2)`,
  order: `pinned->>'at' desc`,
};

export interface Pinned {
  count: number;
  last: string;
}

export async function findPinned(db: Db, timelineIds: string[]): Promise<Map<string, Pinned>> {
  const found = await query<Pinned & { timelineId: string }>(
    db,
    `select timeline_id as "timelineId", count(*)::int as count, max(pinned->>'at') as last
     from messages where timeline_id = any($1::uuid[]) and pinned is not null group by timeline_id`,
    [timelineIds],
  );
  return new Map(found.map(({ timelineId, ...pinned }) => [timelineId, pinned]));
}
