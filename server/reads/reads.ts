import type { Activity, Badges, Marking, Positions } from '../../shared/reads.ts';
import { quotas } from '../../shared/quotas.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { FittingBadges, Unread } from '../connection-features.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import type { Node } from '../caller.ts';
import type { RoomCaller } from '../realtime/subscribe.ts';
import { findConversationBadges, findUnread } from './badge-store.ts';
import * as store from './store.ts';

interface ReadNews {
  timelines: Positions;
  marks?: Record<string, Marking>;
}

export const broadcastRead = (node: Node, userId: string, news: ReadNews): void =>
  node.fanout.broadcast([userRoom(userId)], 'read', news);

/** Also removes the person's mark. Returns what to send to their devices. */
export async function markTimelineRead(
  db: Db,
  userId: string,
  timelineId: string,
): Promise<{ last: number; news: ReadNews }> {
  const mark = await store.advanceToEnd(db, userId, timelineId);
  const last = mark?.last ?? 0;
  return {
    last,
    news: { timelines: { [timelineId]: last }, ...(mark && { marks: { [timelineId]: mark } }) },
  };
}

/** Marks the public channels of a server as read, so that for a new member only later messages are unread. */
export async function markAllRead(db: Db, userId: string, serverId: string): Promise<Positions> {
  const readings = await store.advanceInServer(db, userId, serverId);
  return Object.fromEntries(readings.map(({ timelineId, position }) => [timelineId, position]));
}

/** Marks timelines as read for people who are added to them, and notifies all nodes that they can access them. */
export async function admitAsRead(
  work: RoomTransaction,
  admitted: readonly store.Admitted[],
): Promise<void> {
  if (admitted.length === 0) return;
  const read = new Map<string, Positions>();
  for (const { userId, timelineId, position } of await store.advanceMany(work.db, admitted)) {
    const positions = read.get(userId) ?? {};
    positions[timelineId] = position;
    read.set(userId, positions);
  }
  for (const [userId, positions] of read) work.grant({ userId, read: positions });
}

/** Marks a timeline as read for everyone in a server, except people who had access to the timeline before. */
export const markReadByAll = (
  db: Db,
  timeline: { serverId: string; timelineId: string; except: string[] },
): Promise<void> => store.advanceAll(db, timeline);

/** More badges than fit in an answer, so that an answer is cut by its size and never by the page. */
const badgesPerPage = 3_000;

/**
 * The badges of unread timelines and of conversations, by id: as many as fit in `bytes`, but at least one. The socket
 * joins the activity rooms before the badges are read, so that no message is in neither.
 */
export async function badgesFor(
  caller: RoomCaller,
  { after, bytes }: { after?: string | undefined; bytes: number },
): Promise<FittingBadges> {
  const { node, db, user, socket } = caller;
  if (socket !== undefined) {
    await node.activity.join(caller, socket);
    node.activity.excludePending(socket, after);
  }
  return fittingBadges(await readUnread(db, user.id, after), bytes);
}

export async function readUnread(db: Db, userId: string, after?: string): Promise<Unread[]> {
  const page = { after, limit: badgesPerPage };
  const found = await Promise.all([
    findUnread(db, userId, page),
    findConversationBadges(db, userId, page),
  ]);
  return found.flat().sort(byTimeline);
}

/** Returns the activity in these timelines after these positions, for a person who can see them. */
export async function saidSince(
  db: Db,
  userId: string,
  positions: Positions,
): Promise<[timelineId: string, activity: Activity][]> {
  if (!(await store.areLonger(db, positions))) return [];
  const unread = await readUnread(db, userId);
  return unread.flatMap(({ timelineId, last, serverId, mentions, deleted }) => {
    const since = positions[timelineId];
    if (since === undefined || last <= since) return [];
    const mentioned = Object.fromEntries(mentions.map((position) => [position, true]));
    const more = { ...(serverId && { serverId }), ...(deleted && { deleted }) };
    return [[timelineId, { since, last, mentions: mentioned, ...more }]];
  });
}

/** At most `quotas.channelMembers` members of the channel's server who have not read it to the end. */
export const notAtEnd = (db: Db, channelId: string): Promise<string[]> =>
  store.findNotAtEnd(db, channelId, quotas.channelMembers);

export function fittingBadges(unread: Unread[], bytes: number): FittingBadges {
  const timelines: Badges = {};
  let left = bytes;
  let last: string | undefined;
  for (const { timelineId, ...badge } of unread) {
    left -= jsonBytes(timelineId) + jsonBytes(badge) + 2;
    if (left < 0 && last !== undefined) return { timelines, moreTimelines: last };
    timelines[timelineId] = badge;
    last = timelineId;
  }
  return { timelines };
}

const byTimeline = (a: { timelineId: string }, b: { timelineId: string }) =>
  a.timelineId < b.timelineId ? -1 : 1;

export const readEnding: Ending = { account: ({ db }, { id }) => store.deleteReads(db, id) };

export const sweepReads = (db: Db, timelineId: string, limit: number): Promise<number> =>
  store.deletePositions(db, timelineId, limit);
