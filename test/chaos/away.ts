import type { History } from './history.ts';
import { groupBy } from './grouped.ts';

/** Milliseconds from each lost connection to the next `ready`, without the sleeper, which waits for its one node. */
export const awayFor = ({ turns }: History): number[] =>
  [...groupBy(turns, ({ who }) => who)].flatMap(([who, mine]) => {
    if (who === 'sleeper') return [];
    const connection = mine.filter(({ what }) => what === 'lost' || what === 'ready');
    return connection.flatMap(({ what, at }, i) => {
      const before = connection[i - 1];
      return what === 'ready' && before?.what === 'lost' ? [at - before.at] : [];
    });
  });
