/**
 * How what is heard of timelines is merged into what is known of them. Pure. All of it is lossy but the
 * whole, and the whole may be older than what came while it was on its way: by maximum, nothing goes back.
 */
import type { Badge, Badges } from '../../shared/reads.ts';

/** Something heard of one timeline. */
export type News = { id: string } & (
  | /** Something was said at this position. */ { came: number }
  | /** This is the newest position, as one enters the timeline. */ { newest: number }
  | /** I have read up to here, on one device or another. */ { read: number }
);

export type Known = Map<string, Badge>;

export const unreadIn = (badge: Badge | undefined) =>
  badge ? Math.max(0, badge.last - badge.read) : 0;

/**
 * Of a timeline that nothing was known of, all was read: that is what its absence among the badges means.
 * So what comes first in it is the only thing unread, and what is found on entering was read.
 */
export function hear(known: Known, news: News): void {
  const { last, read } = known.get(news.id) ?? before(news);
  if ('read' in news) known.set(news.id, { last, read: Math.max(read, news.read) });
  else known.set(news.id, { last: Math.max(last, 'came' in news ? news.came : news.newest), read });
}

const before = (news: News): Badge => {
  const read = 'came' in news ? news.came - 1 : 'newest' in news ? news.newest : news.read;
  return { last: read, read };
};

/**
 * The whole of what is unread replaces what is known. `asOf` is what was known when it was asked for: what is
 * absent from the answer had been read at least so far. `since` is what was heard from then on.
 */
export function replace(
  known: Known,
  whole: Badges,
  asOf: ReadonlyMap<string, Badge>,
  since: News[],
) {
  known.clear();
  for (const [id, { last, read }] of asOf) known.set(id, { last, read: Math.max(last, read) });
  for (const [id, badge] of Object.entries(whole)) known.set(id, badge);
  for (const news of since) hear(known, news);
}
