import { notFound } from '../../shared/failure.ts';
import type { Badge, Badges, Marking, Positions, Reading } from '../../shared/reads.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import type { Caller } from '../command.ts';
import { jsonBytes } from '../realtime/json-bytes.ts';
import { timelineFor } from '../messages/access.ts';
import * as store from './store.ts';
import type { Db } from '../database/database.ts';

/** Notes how far the caller has read, and tells all of their devices. It never goes back. */
export async function noteRead(
  caller: Caller,
  { timelineId, position }: Parsed<'read:update'>,
): Promise<Reading> {
  const { app, user } = caller;
  await timelineFor(app.db, caller, timelineId, 'see');
  const reading = {
    timelineId,
    position: await store.advanceOne(app.db, user.id, timelineId, position),
  };
  broadcastRead(app, user.id, { [timelineId]: reading.position });
  return reading;
}

/** Marks a timeline as unread from a position on, for all of the caller's devices; with null, no longer. */
export async function markUnread(
  caller: Caller,
  { timelineId, position }: Parsed<'read:mark'>,
): Promise<Marking> {
  const { app, user } = caller;
  const { scope } = await timelineFor(app.db, caller, timelineId, 'see');
  const marked = await store.setMark(app.db, user.id, timelineId, position);
  if (marked === undefined) throw notFound();
  const mark = { ...marked, ...(scope !== timelineId && { serverId: scope }) };
  const news = { timelines: {}, marks: { [timelineId]: mark } };
  app.fanout.broadcast([userRoom(user.id)], 'read', news);
  return mark;
}

/** Says to a person's devices on all nodes how far they have read. */
export const broadcastRead = (app: App, userId: string, timelines: Positions): void =>
  app.fanout.broadcast([userRoom(userId)], 'read', { timelines });

/** Who comes into a server starts with what is said from then on. Returns how far that is, in each timeline. */
export async function markAllRead(db: Db, userId: string, serverId: string): Promise<Positions> {
  const readings = await store.advanceInServer(db, userId, serverId);
  return Object.fromEntries(readings.map(({ timelineId, position }) => [timelineId, position]));
}

/** The same for those who come into one timeline. */
export const markReadByMany = (
  db: Db,
  userIds: string[],
  timelineId: string,
): Promise<{ userId: string; position: number }[]> => store.advanceMany(db, userIds, timelineId);

/** The same for everyone in a server but those who knew the timeline. */
export const markReadByAll = (
  db: Db,
  timeline: { serverId: string; timelineId: string; except: string[] },
): Promise<void> => store.advanceAll(db, timeline);

/** Who writes has read up to there. Each pair of person and timeline at most once. */
export const markReadByWriting = (
  db: Db,
  readings: (Reading & { userId: string })[],
): Promise<void> => store.advance(db, readings);

/** More badges than fit an answer: of such a page only what does not fit is missing. */
const badgesPerPage = 3_000;

/**
 * What the caller has not read, by id, as much as fits so many bytes: one badge always does. The socket first
 * listens for what comes, and then this is read: nothing falls between.
 */
export async function badgesFor(
  caller: Caller,
  { after, bytes }: { after?: string | undefined; bytes: number },
): Promise<{ timelines: Badges; moreTimelines?: string }> {
  const { app, user, socket } = caller;
  if (socket !== undefined) {
    await app.activity.join(caller, socket);
    app.activity.excludePending(socket, after);
  }
  return fittingBadges(await readUnread(app.db, user.id, after), bytes);
}

type Unread = Badge & { timelineId: string };

/** What a person has not read, by the ids of the timelines: a page of it. */
export async function readUnread(db: Db, userId: string, after?: string): Promise<Unread[]> {
  const page = { after, limit: badgesPerPage };
  const found = await Promise.all([
    store.findUnread(db, userId, page),
    store.findConversationBadges(db, userId, page),
  ]);
  return found.flat().sort(byTimeline);
}

/** As much of it as fits so many bytes: one badge always does. */
export function fittingBadges(
  unread: Unread[],
  bytes: number,
): { timelines: Badges; moreTimelines?: string } {
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

/** Forgets how far somebody has read, anywhere. */
export const forgetReads = (db: Db, userId: string): Promise<void> => store.deleteReads(db, userId);

/** Deletes up to `most` of how far people had read in a timeline that has ended. Returns how many it were. */
export const sweepReads = (db: Db, timelineId: string, most: number): Promise<number> =>
  store.deleteSome(db, timelineId, most);
