import { query } from '../../server/database/database.ts';
import { sweepEndedSlice } from '../../server/messages/ended.ts';
import type { TestApp } from './app.ts';
import { until } from './time.ts';

/** Rows in each transaction. */
const slice = 5_000;

/** Sweeps the timelines that have ended until nothing is left of them, without the rests that a node takes. */
export const swept = ({ app: { db } }: Pick<TestApp, 'app'>): Promise<void> =>
  until(
    async () => {
      // False when there is nothing to do, and while the node itself is at it.
      while (await sweepEndedSlice(db, slice));
      return (await query(db, 'select 1 as one from ended_timelines limit 1')).length === 0;
    },
    () => 'nothing is left of the timelines that have ended',
  );
