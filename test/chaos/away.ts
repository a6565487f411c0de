import type { History } from '../../scripts/chaos/history.ts';
import { grouped } from '../../scripts/chaos/grouped.ts';

/** How long clients were away, each time that they came back. Milliseconds. */
export const awayFor = ({ turns }: History): number[] =>
  [...grouped(turns, ({ who }) => who).values()].flatMap((mine) => {
    const connection = mine.filter(({ what }) => what === 'lost' || what === 'ready');
    return connection.flatMap(({ what, at }, i) => {
      const before = connection[i - 1];
      return what === 'ready' && before?.what === 'lost' ? [at - before.at] : [];
    });
  });
