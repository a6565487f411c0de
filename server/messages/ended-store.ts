/** Timelines that have ended, and what is left of their messages. */
import { query, type Db } from '../database/database.ts';
import type { PositionRange } from './part.ts';

/** A timeline that has ended, and up to where its messages are deleted. */
export interface EndedTimeline {
  id: string;
  swept: number;
  lastPosition: number;
}

/** The one that ended first. */
export async function findEnded(db: Db): Promise<EndedTimeline | undefined> {
  const [ended] = await query<EndedTimeline>(
    db,
    `select id, swept, last_position as "lastPosition" from ended_timelines order by at, id limit 1`,
  );
  return ended;
}

/** Deletes messages of a timeline that has ended, and notes how far. */
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
