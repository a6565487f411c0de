/**
 * Badges, live: whoever is in a server or a conversation hears that something was said there, without having
 * joined its timeline. At most once a second for each timeline, in large servers once in ten, since only how far it is matters; lossy, healed by `sync`.
 */
import type { App } from '../app.ts';
import type { Caller, ChatSocket } from '../command.ts';
import { attempt } from '../node/attempt.ts';
import { insidersOf } from '../channels/access.ts';
import { participantsOf } from '../conversations/access.ts';
import { snapshot } from '../database/database.ts';
import { activityRoom, isClosed, isOwnScope, noteJoin, readMark, upTo } from './access-version.ts';
import { marksOfMember } from '../members/access.ts';
import type { Envelope, Mark } from './node-messages.ts';
import { tellActivity, tellMentioned, tellReadHere } from './publish.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';

type Said = NonNullable<Envelope['said']>;

/** Sockets that were given their badges meanwhile, and up to where those count already what is yet to be told. */
export type Newcomers = Map<string, number>;

type News = Said & { newcomers: Newcomers };

/** What is being told of a timeline, what was said there since, and under which mark. */
interface Pending {
  mark: Mark;
  telling: News | undefined;
  said: News | undefined;
}

export type Activity = Map<Room, Pending>;

const pause = 1_000;
/** In large servers, where something is always being said. */
const longPause = 10_000;

/** Puts a socket where it hears of all servers that its person is in now. */
export async function joinActivity({ app, user }: Caller, socket: ChatSocket): Promise<void> {
  for (;;) {
    const marks = await marksOfMember(app.db, user.id);
    if (!socket.connected) return;
    // From here to the join nothing else runs on this node.
    const sure = marks.filter((mark) => noteJoin(app, activityRoom(mark.scope), mark));
    await socket.join(sure.map(({ scope }) => activityRoom(scope)));
    if (sure.length === marks.length) return;
    // Somebody has left one of the others meanwhile, perhaps this very person.
    for (const mark of marks) await upTo(app, mark);
  }
}

/**
 * Notes that all which waits to be told, of timelines with ids after that one, will be among the badges that a
 * socket is now given, and so is all that it was told and has not heard yet.
 */
export function noteBadges(app: App, socket: ChatSocket, after = ''): void {
  socket.data.early.forget('activity');
  for (const [room, { mark, telling, said }] of app.activity)
    if (splitRoom(room).id <= after) continue;
    else if (isOwnScope(room, mark.scope) || socket.rooms.has(activityRoom(mark.scope)))
      for (const news of [telling, said]) news?.newcomers.set(socket.id, news.last);
}

/** Tells it at once, and what comes within the next second at its end. */
export function noteActivity(app: App, mark: Mark, room: Room, said: Said): void {
  if (!said.private && isClosed(app, mark, room)) return;
  const pending = app.activity.get(room);
  if (pending === undefined) begin(app, mark, room, { ...said, newcomers: new Map() });
  else Object.assign(pending, { mark, said: both(pending.said, said) });
}

function begin(app: App, mark: Mark, room: Room, telling: News): void {
  const pending: Pending = { mark, telling, said: undefined };
  app.activity.set(room, pending);
  void attempt(app, 'activity', () => tell(app, mark.scope, room, telling)).then(() => {
    pending.telling = undefined;
  });
  wait(app, room, app.large.has(mark.scope) ? longPause : pause);
}

const wait = (app: App, room: Room, pause: number) =>
  void app.clock.after(pause, () => {
    const { mark, said } = app.activity.get(room) ?? {};
    app.activity.delete(room);
    if (mark === undefined || said === undefined) return;
    if (said.private || !isClosed(app, mark, room)) begin(app, mark, room, said);
  });

/** What was said to others than now is not told any more. */
function both(a: News | undefined, b: Said): News {
  if (a?.private !== b.private) return { ...b, newcomers: new Map() };
  const read = { ...a.read };
  for (const [userId, position] of Object.entries(b.read))
    read[userId] = Math.max(position, read[userId] ?? 0);
  const mentions = { ...a.mentions };
  for (const [userId, positions] of Object.entries(b.mentions))
    mentions[userId] = { ...mentions[userId], ...positions };
  const [since, last] = [Math.min(a.since, b.since), Math.max(a.last, b.last)];
  return { ...b, since, last, read, mentions, newcomers: a.newcomers };
}

/** Who wrote hears first how far they have read by that, or their own words would look unread. */
async function tell(app: App, scope: string, room: Room, said: News): Promise<void> {
  const { id: timelineId } = splitRoom(room);
  for (const [userId, position] of Object.entries(said.read))
    tellReadHere(app, userId, { [timelineId]: position });
  if (said.private) await tellInsiders(app, scope, room, said);
  else tellBadges(app, timelineId, { ...said, serverId: scope });
}

/** To those who are in a private channel or a conversation at the moment of telling, and not to who just left it. */
async function tellInsiders(app: App, scope: string, room: Room, said: News): Promise<void> {
  const { id } = splitRoom(room);
  const isConversation = isOwnScope(room, scope);
  const where = isConversation ? {} : { serverId: scope };
  for (;;) {
    const { mark, userIds } = await snapshot(app.db, async (db) => ({
      mark: await readMark(db, scope),
      userIds: await (isConversation ? participantsOf(db, id) : insidersOf(db, id)),
    }));
    // From here to the telling nothing else runs on this node.
    if (noteJoin(app, activityRoom(scope), mark)) {
      tellBadges(app, id, { ...said, ...where }, userIds);
      return;
    }
    await upTo(app, mark);
  }
}

/** To everyone in the server, or to these; and to each who is mentioned, that they are. */
function tellBadges(
  app: App,
  timelineId: string,
  { since, last, mentions, newcomers, serverId }: News & { serverId?: string },
  userIds?: string[],
): void {
  const activity = { since, last, ...(serverId !== undefined && { serverId }) };
  if (last > since) tellActivity(app, timelineId, activity, newcomers, userIds);
  const audience = userIds && new Set(userIds);
  for (const [userId, positions] of Object.entries(mentions))
    if (audience?.has(userId) ?? true)
      tellMentioned(app, userId, timelineId, { ...activity, mentions: positions }, newcomers);
}
