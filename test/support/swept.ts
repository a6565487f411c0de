import { query } from '../../server/database/database.ts';
import { sweepEndedSlice } from '../../server/messages/ended.ts';
import type { TestApp } from './app.ts';
import { until } from './time.ts';

/** Rows per transaction. */
const slice = 5_000;

/** Sweeps ended timelines until nothing is left of them, without the pauses that a node makes. */
export const swept = ({ db }: Pick<TestApp, 'db'>): Promise<void> =>
  until(
    async () => {
      // `sweepEndedSlice` returns false when nothing is left, and while the node itself sweeps.
      while (await sweepEndedSlice(db, slice));
      return (await query(db, 'select 1 as one from ended_timelines limit 1')).length === 0;
    },
    () => 'nothing is left of the timelines that have ended',
  );
