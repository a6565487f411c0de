/**
 * How what is heard of timelines is merged into what is known of them. Pure. All of it is lossy but the
 * whole, and the whole may be older than what came while it was on its way: by maximum, nothing goes back.
 */
import type { Activity, Badge, Badges, Marking } from '../../shared/reads.ts';

/** Something heard of one timeline. */
export type News = { id: string } & (
  | /** Something was said, up to this position: all that is after `since`. */
    (Omit<Activity, 'since' | 'last'> & { came: number; since?: number; at?: string })
  | /** The timeline is no more. */ { ended: true }
  | /** This is the newest position, as one enters the timeline. */ { newest: number; at?: string }
  | /** I have read up to here, on one device or another. */ { read: number }
  | /** I have marked it as unread from here on, or no longer. */ { mark: Marking }
);

/**
 * Where nothing is known of a timeline as one enters it, all that is there counts as read. That may be wrong: what was
 * said since `ready` is told a moment later. Until then only this much is certain to be read.
 */
export interface Held extends Badge {
  certain?: number;
}

export type Known = Map<string, Held>;

/** Up to where nothing is unread. */
export const readIn = ({ read, mark }: Badge) => Math.min(read, (mark?.position ?? Infinity) - 1);

export const unreadIn = (badge: Badge | undefined) =>
  badge ? Math.max(0, badge.last - readIn(badge)) : 0;

/** How many of them mention me. */
export const mentionsIn = (badge: Badge | undefined) => badge?.mentions.length ?? 0;

/** In words, for names that are read aloud. */
export const mentionWords = (count: number) =>
  count === 1 ? '1 mention' : `${countOf(count)} mentions`;

/** As it is shown: nobody counts further. */
export const countOf = (unread: number) => (unread > 99 ? '99+' : String(unread));

/**
 * Of a timeline that nothing was known of, all was read: that is what its absence among the badges means.
 * So only what comes then is unread, and what is found on entering was read.
 */
export function hear(known: Known, news: News): void {
  if ('ended' in news) {
    known.delete(news.id);
    return;
  }
  const badge = corrected(known.get(news.id) ?? before(news), news);
  const { last } = badge;
  if ('read' in news) known.set(news.id, readTo(badge, news.read));
  else if ('mark' in news) known.set(news.id, markedBy(badge, news.mark));
  else {
    const to = 'newest' in news ? news.newest : news.came;
    const when = news.at === undefined || to < last ? {} : { at: news.at };
    const more = 'came' in news ? cameTo(badge, news) : {};
    known.set(news.id, { ...badge, last: Math.max(last, to), ...when, ...more });
  }
}

/** What came after `since` had not been read, if that was not certain. */
function corrected({ certain, ...badge }: Held, news: News): Held {
  if (certain === undefined) return badge;
  const since = ('came' in news ? news.since : undefined) ?? Infinity;
  return since < badge.read ? { ...badge, read: Math.max(certain, since) } : { ...badge, certain };
}

function cameTo(badge: Badge, { serverId, mentions }: Pick<Activity, 'serverId' | 'mentions'>) {
  const where = serverId === undefined ? {} : { serverId };
  return { mentions: mentionsAfter(badge, mentions), ...where };
}

function readTo({ certain, ...badge }: Held, position: number): Held {
  const read = Math.max(badge.read, position);
  const mentions = badge.mentions.filter((mention) => mention > read);
  const isSure = certain === undefined || position >= badge.read;
  const more = isSure ? {} : { certain: Math.max(certain, position) };
  return { ...badge, read, mentions, ...more };
}

function markedBy(badge: Held, { last, serverId, ...mark }: Marking): Held {
  if (mark.version <= (badge.mark?.version ?? 0)) return badge;
  const where = serverId === undefined ? {} : { serverId };
  return { ...badge, ...where, last: Math.max(badge.last, last), mark };
}

/** Its version stays: news of a mark before it may still come. */
const unmarked = (badge: Held): Held =>
  badge.mark ? { ...badge, mark: { ...badge.mark, position: null } } : badge;

function mentionsAfter({ read, mentions }: Badge, news: Activity['mentions'] = {}): number[] {
  const now = new Set(mentions);
  for (const [at, isMentioned] of Object.entries(news)) {
    const position = Number(at);
    if (isMentioned && position > read) now.add(position);
    else now.delete(position);
  }
  return [...now];
}

function before(news: Exclude<News, { ended: true }>): Held {
  const read = readBefore(news);
  const isSure = !('newest' in news) || read === 0;
  return { last: read, read, mentions: [], ...(!isSure && { certain: 0 }) };
}

function readBefore(news: Exclude<News, { ended: true }>): number {
  if ('came' in news) return news.since ?? news.came - 1;
  if ('mark' in news) return news.mark.last;
  return 'newest' in news ? news.newest : news.read;
}

/** I am in that server no longer. */
export function leave(known: Known, serverId: string): void {
  for (const [id, badge] of known) if (badge.serverId === serverId) known.delete(id);
}

/**
 * The whole of what is unread replaces what is known. `asOf` is what was known when it was asked for: what is
 * absent from the answer had been read at least so far. `since` is what was heard from then on.
 */
export function replace(
  known: Known,
  whole: Badges,
  asOf: ReadonlyMap<string, Held>,
  since: News[],
) {
  known.clear();
  for (const [id, badge] of asOf) known.set(id, readTo(unmarked(badge), badge.last));
  for (const [id, badge] of Object.entries(whole)) {
    // Where it names no mark, the version of the last one is kept: news of one before it may still come.
    const { mark } = unmarked(asOf.get(id) ?? badge);
    known.set(id, mark && !badge.mark ? { ...badge, mark } : badge);
  }
  for (const news of since) hear(known, news);
}
