import { query, type Db } from '../database/database.ts';
import type { PositionRange } from './part.ts';

/** A deleted timeline. Its messages up to the position `swept` are erased. */
export interface EndedTimeline {
  id: string;
  swept: number;
  lastPosition: number;
}

export async function findEnded(db: Db): Promise<EndedTimeline | undefined> {
  const [ended] = await query<EndedTimeline>(
    db,
    `select id, swept, last_position as "lastPosition" from ended_timelines order by at, id limit 1`,
  );
  return ended;
}

export async function deleteMessages(
  db: Db,
  { timelineId, after, upTo }: PositionRange,
): Promise<void> {
  await query(
    db,
    `with deleted as (
       delete from messages where timeline_id = $1 and position > $2 and position <= $3
     )
     update ended_timelines set swept = $3 where id = $1`,
    [timelineId, after, upTo],
  );
}

export async function forgetEnded(db: Db, id: string): Promise<void> {
  await query(db, 'delete from ended_timelines where id = $1', [id]);
}
