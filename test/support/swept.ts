import { query, type Db } from '../../server/database/database.ts';
import { patience, until } from './time.ts';

/**
 * Resolves when nothing is left of the timelines that have ended: that goes afterwards, a few rows at a time, with
 * rests that are the longer the slower the machine is.
 */
export const swept = ({ db }: { db: Db }): Promise<void> =>
  until(
    async () => (await query(db, 'select 1 as one from ended_timelines limit 1')).length === 0,
    () => 'nothing is left of the timelines that have ended',
    3 * patience,
  );
