import type { History } from './history.ts';
import { groupBy } from './grouped.ts';

/**
 * How long clients were away, each time that they came back. Milliseconds. Not the sleeper, who is connected past
 * the load balancer, and waits for that one node.
 */
export const awayFor = ({ turns }: History): number[] =>
  [...groupBy(turns, ({ who }) => who)].flatMap(([who, mine]) => {
    if (who === 'sleeper') return [];
    const connection = mine.filter(({ what }) => what === 'lost' || what === 'ready');
    return connection.flatMap(({ what, at }, i) => {
      const before = connection[i - 1];
      return what === 'ready' && before?.what === 'lost' ? [at - before.at] : [];
    });
  });
