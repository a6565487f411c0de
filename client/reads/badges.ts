/**
 * Merges badge updates into the badges that the client holds. Pure. Updates can be lost, full answers cannot. A full
 * answer can be older than updates received meanwhile, so positions are merged by maximum and never go back.
 */
import { limits } from '../../shared/limits.ts';
import type { Activity, Badge, Badges, Marking } from '../../shared/reads.ts';

export type BadgeUpdate = { id: string } & (
  | /** Messages after `since` arrived, up to position `came`. */
    (Omit<Activity, 'since' | 'last'> & { came: number; since?: number; at?: string })
  | /** The timeline was deleted. */ { ended: true }
  | /** The newest position, from the timeline's snapshot. */ { newest: number; at?: string }
  | /** This user has read up to here, on any device. */ { read: number }
  | /** This user has set or removed an unread mark. */ { mark: Marking }
  | /** The messages at these positions were deleted. */ { deleted: number[] }
);

/**
 * When a timeline without a badge is opened, everything in it counts as read. This can be wrong, because activity since
 * `ready` can still be on its way. Until then, only positions up to `certain` are known to be read.
 */
export interface Held extends Badge {
  certain?: number;
}

export type BadgeMap = Map<string, Held>;

/** The position up to which nothing is unread. */
export const readIn = ({ read, mark }: Badge) => Math.min(read, (mark?.position ?? Infinity) - 1);

export function unreadIn(badge: Badge | undefined): number {
  if (!badge) return 0;
  const read = readIn(badge);
  const deleted = (badge.deleted ?? []).filter((at) => at > read && at <= badge.last);
  return Math.max(0, badge.last - read - deleted.length);
}

export const mentionCount = (badge: Badge | undefined) => badge?.mentions.length ?? 0;

export const mentionWords = (count: number) =>
  count === 1 ? '1 mention' : `${countOf(count)} mentions`;

export const countOf = (unread: number) => (unread > 99 ? '99+' : String(unread));

/** A timeline without a badge was read to its end: only later messages are unread, not those of its snapshot. */
export function receiveNews(known: BadgeMap, news: BadgeUpdate): void {
  if ('ended' in news) {
    known.delete(news.id);
    return;
  }
  const held = known.get(news.id);
  if ('deleted' in news && !('came' in news)) {
    if (held) known.set(news.id, withDeleted(held, news.deleted));
    return;
  }
  // Version 0: the user has read nothing here, so no mark was set, and the activity can still arrive.
  if ('mark' in news && news.mark.version === 0) return;
  const badge = corrected(held ?? before(news), news);
  const { last } = badge;
  if ('read' in news) known.set(news.id, readTo(badge, news.read));
  else if ('mark' in news) known.set(news.id, markedBy(badge, news.mark));
  else {
    const to = 'newest' in news ? news.newest : news.came;
    const when = news.at === undefined || to < last ? {} : { at: news.at };
    const more = 'came' in news ? cameTo(badge, news) : {};
    const now = { ...badge, last: Math.max(last, to), ...when, ...more };
    known.set(news.id, 'came' in news ? withDeleted(now, news.deleted) : now);
  }
}

/** Messages after `since` were unread, except those known to be read. */
function corrected({ certain, ...badge }: Held, news: BadgeUpdate): Held {
  if (certain === undefined) return badge;
  const since = ('came' in news ? news.since : undefined) ?? Infinity;
  return since < badge.read ? { ...badge, read: Math.max(certain, since) } : { ...badge, certain };
}

/** A deleted message never comes back, so the order of updates does not matter. */
function withDeleted(badge: Held, deleted: number[] = []): Held {
  if (deleted.length === 0) return badge;
  const all = new Set([...(badge.deleted ?? []), ...deleted]);
  const mentions = badge.mentions.filter((at) => !all.has(at));
  return pruned({ ...badge, mentions, deleted: [...all] });
}

const maxDeleted = 1_000;

/**
 * Keeps at least this many deleted positions, even if read. A mark from before the deletion can still arrive, and a
 * request is hidden once all of its messages are deleted.
 */
const maxReadPositions = limits.requestMessages;

/** Drops deleted positions that are read, because a new mark carries the deleted positions after it. */
function pruned(badge: Held): Held {
  if (!badge.deleted) return badge;
  const read = Math.min(readIn(badge), badge.certain ?? Infinity);
  const all = badge.deleted.toSorted((a, b) => a - b);
  const firstUnread = all.findIndex((at) => at > read);
  const from = Math.min(firstUnread < 0 ? all.length : firstUnread, all.length - maxReadPositions);
  return { ...badge, deleted: all.slice(Math.max(0, from)).slice(-maxDeleted) };
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
  return pruned({ ...badge, read, mentions, ...more });
}

function markedBy(badge: Held, { last, serverId, deleted, ...mark }: Marking): Held {
  if (mark.version <= (badge.mark?.version ?? 0)) return badge;
  const where = serverId === undefined ? {} : { serverId };
  return withDeleted({ ...badge, ...where, last: Math.max(badge.last, last), mark }, deleted);
}

/** Keeps the version, because an update of an earlier mark can still arrive. */
const unmarked = (badge: Held): Held =>
  badge.mark ? { ...badge, mark: { ...badge.mark, position: null } } : badge;

/**
 * A full answer omits a timeline with a mark if everything from the mark on was deleted. The mark stays, and later
 * messages are unread. The removal of a mark has its own update.
 */
const markedBehind = (badge: Held): Held =>
  typeof badge.mark?.position === 'number'
    ? { ...badge, mark: { ...badge.mark, position: badge.last + 1 } }
    : badge;

function mentionsAfter(
  { read, mentions, deleted = [] }: Badge,
  news: Activity['mentions'] = {},
): number[] {
  const now = new Set(mentions);
  for (const [at, isMentioned] of Object.entries(news)) {
    const position = Number(at);
    if (isMentioned && position > read && !deleted.includes(position)) now.add(position);
    else now.delete(position);
  }
  return [...now];
}

type UnreadUpdate = Exclude<BadgeUpdate, { ended: true } | { deleted: number[]; came?: never }>;

function before(news: UnreadUpdate): Held {
  const read = readBefore(news);
  const isSure = !('newest' in news) || read === 0;
  return { last: read, read, mentions: [], ...(!isSure && { certain: 0 }) };
}

function readBefore(news: UnreadUpdate): number {
  if ('came' in news) return news.since ?? news.came - 1;
  if ('mark' in news) return news.mark.last;
  return 'newest' in news ? news.newest : news.read;
}

export function leave(known: BadgeMap, serverId: string): void {
  for (const [id, badge] of known) if (badge.serverId === serverId) known.delete(id);
}

/**
 * Replaces the held badges by a full answer. `asOf` has the badges at the time of the request: a timeline missing in
 * the answer had been read at least that far. `since` has the updates received after the request.
 */
export function replace(
  known: BadgeMap,
  whole: Badges,
  asOf: ReadonlyMap<string, Held>,
  since: BadgeUpdate[],
) {
  known.clear();
  for (const [id, badge] of asOf) known.set(id, readTo(markedBehind(badge), badge.last));
  for (const [id, badge] of Object.entries(whole)) {
    // Keeps the version of the last mark, because an update of an earlier one can still arrive.
    const { mark } = unmarked(asOf.get(id) ?? badge);
    known.set(id, mark && !badge.mark ? { ...badge, mark } : badge);
  }
  for (const news of since) receiveNews(known, news);
}
