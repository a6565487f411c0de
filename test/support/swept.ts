import { setTimeout as sleep } from 'node:timers/promises';
import { query, type Db } from '../../server/database/database.ts';

/** Resolves when nothing is left of the timelines that have ended: that goes afterwards, a few rows at a time. */
export async function swept({ db }: { db: Db }): Promise<void> {
  while ((await query(db, 'select 1 as one from ended_timelines limit 1')).length > 0)
    await sleep(50);
}
