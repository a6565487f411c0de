/**
 * Badges, live: everyone in a server or a conversation hears that something was said there, without having joined its
 * timeline. At most once a second for each timeline, in large servers once in ten, since only its position matters;
 * lossy, healed by `sync`.
 */
import { splitRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { LargeServers } from '../servers/large-servers.ts';
import type { Caller, ChatSocket } from '../command.ts';
import { snapshot, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Clock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import { readAccessVersion, type AccessVersions } from './access-version.ts';
import type { AccessVersion, Envelope } from './node-messages.ts';
import type { RoomFeatures } from './room-features.ts';
import { activityRoom, isConversationScope } from './room-names.ts';
import type { FreshSockets, Sockets } from './sockets.ts';

type TimelineActivity = NonNullable<Envelope['said']>;

export interface ActivityFeed {
  /** Puts a socket into the activity rooms of all servers that its person is in now. */
  join(caller: Caller, socket: ChatSocket): Promise<void>;
  /**
   * Excludes a socket from what is pending, of timelines with ids after that one: it is part of the badges that the
   * socket is now given, and so is all that it was sent and has not heard yet.
   */
  excludePending(socket: ChatSocket, after?: string): void;
  /** Tells the activity of a timeline at once, and what comes within the next second at its end. */
  record(accessVersion: AccessVersion, room: Room, activity: TimelineActivity): void;
  /** How many timelines have been told of within the last second. */
  pendingCount(): number;
  reset(): void;
}

type PendingActivity = TimelineActivity & { fresh: FreshSockets };

/** What is being told of a timeline, what was said there since, and at which access version. */
interface Pending {
  accessVersion: AccessVersion;
  telling: PendingActivity | undefined;
  next: PendingActivity | undefined;
}

interface Needs {
  db: Db;
  log: Logger;
  clock: Clock;
  sockets: Sockets;
  access: AccessVersions;
  large: LargeServers;
  features: Pick<RoomFeatures, 'activity'>;
}

interface Part extends Needs {
  pending: Map<Room, Pending>;
}

const pauseMs = 1_000;
/** In large servers, where something is always being said. */
const longPauseMs = 10_000;

export function openActivity(needs: Needs): ActivityFeed {
  const pending: Part['pending'] = new Map();
  const part = { ...needs, pending };
  return {
    join: (caller, socket) => join(part, caller, socket),
    excludePending: (socket, after) => excludePending(part, socket, after),
    record: (accessVersion, room, activity) => record(part, accessVersion, room, activity),
    pendingCount: () => pending.size,
    reset: () => pending.clear(),
  };
}

async function join(part: Part, { app, user }: Caller, socket: ChatSocket): Promise<void> {
  const { access, features } = part;
  for (;;) {
    const versions = await features.activity.accessVersionsOf(app.db, user.id);
    if (!socket.connected) return;
    // From here to the join nothing else runs on this node.
    const sure = versions.filter((one) => access.tryJoinAt(activityRoom(one.scope), one));
    await socket.join(sure.map(({ scope }) => activityRoom(scope)));
    if (sure.length === versions.length) return;
    // Somebody has left one of the others meanwhile, perhaps this very person.
    for (const one of versions) await access.catchUpTo(one);
  }
}

function excludePending({ pending }: Part, socket: ChatSocket, after = ''): void {
  socket.data.early.forget('activity');
  for (const [room, { accessVersion, telling, next }] of pending) {
    const { scope } = accessVersion;
    if (splitRoom(room).id <= after) continue;
    if (isConversationScope(room, scope) || socket.rooms.has(activityRoom(scope)))
      for (const one of [telling, next]) one?.fresh.set(socket.id, one.last);
  }
}

function record(
  part: Part,
  accessVersion: AccessVersion,
  room: Room,
  activity: TimelineActivity,
): void {
  if (!activity.private && part.access.isClosed(accessVersion, room)) return;
  const pending = part.pending.get(room);
  if (pending === undefined) begin(part, accessVersion, room, { ...activity, fresh: new Map() });
  else Object.assign(pending, { accessVersion, next: merge(pending.next, activity) });
}

function begin(
  part: Part,
  accessVersion: AccessVersion,
  room: Room,
  telling: PendingActivity,
): void {
  const { scope } = accessVersion;
  const pending: Pending = { accessVersion, telling, next: undefined };
  part.pending.set(room, pending);
  void attempt(part, 'activity', () => tell(part, scope, room, telling)).then(() => {
    pending.telling = undefined;
  });
  tellNextAfter(part, room, part.large.has(scope) ? longPauseMs : pauseMs);
}

const tellNextAfter = (part: Part, room: Room, ms: number) =>
  void part.clock.after(ms, () => {
    const { accessVersion, next } = part.pending.get(room) ?? {};
    part.pending.delete(room);
    if (accessVersion === undefined || next === undefined) return;
    if (next.private || !part.access.isClosed(accessVersion, room))
      begin(part, accessVersion, room, next);
  });

/** Activity that was private, or public, before is told no more once that has changed. */
function merge(a: PendingActivity | undefined, b: TimelineActivity): PendingActivity {
  if (a?.private !== b.private) return { ...b, fresh: new Map() };
  const read = { ...a.read };
  for (const [userId, position] of Object.entries(b.read))
    read[userId] = Math.max(position, read[userId] ?? 0);
  const mentions = { ...a.mentions };
  for (const [userId, positions] of Object.entries(b.mentions))
    mentions[userId] = { ...mentions[userId], ...positions };
  const calls = a.calls || b.calls ? { calls: { ...a.calls, ...b.calls } } : {};
  const [since, last] = [Math.min(a.since, b.since), Math.max(a.last, b.last)];
  return { ...b, since, last, read, mentions, ...calls, fresh: a.fresh };
}

/** Authors hear first how far they have read by writing, or their own messages would look unread. */
async function tell(
  part: Part,
  scope: string,
  room: Room,
  activity: PendingActivity,
): Promise<void> {
  const { id: timelineId } = splitRoom(room);
  for (const [userId, position] of Object.entries(activity.read))
    part.sockets.emitLossy([userRoom(userId)], 'read', { timelines: { [timelineId]: position } });
  if (activity.private) await tellPrivately(part, scope, room, activity);
  else emitBadges(part, timelineId, { ...activity, serverId: scope });
}

/** To the people in a private channel or a conversation at the moment of telling, and not to one who just left it. */
async function tellPrivately(
  part: Part,
  scope: string,
  room: Room,
  activity: PendingActivity,
): Promise<void> {
  const { id } = splitRoom(room);
  const isConversation = isConversationScope(room, scope);
  const where = isConversation ? {} : { serverId: scope };
  const audience = part.features.activity.audience[isConversation ? 'conversation' : 'channel'];
  for (;;) {
    const { accessVersion, userIds } = await snapshot(part.db, async (db) => ({
      accessVersion: await readAccessVersion(db, scope),
      userIds: await audience(db, id),
    }));
    // From here to the telling nothing else runs on this node.
    if (part.access.tryJoinAt(activityRoom(scope), accessVersion)) {
      emitBadges(part, id, { ...activity, ...where }, userIds);
      return;
    }
    await part.access.catchUpTo(accessVersion);
  }
}

/** To everyone in the server, or to these; and to each who is mentioned, that they are. */
function emitBadges(
  { sockets }: Part,
  timelineId: string,
  { since, last, mentions, calls, fresh, serverId }: PendingActivity & { serverId?: string },
  userIds?: string[],
): void {
  const activity = { since, last, ...(serverId !== undefined && { serverId }) };
  if (last > since || calls)
    sockets.emitActivity(
      timelineId,
      { ...activity, ...(calls && { mentions: calls }) },
      fresh,
      userIds,
    );
  const audience = userIds && new Set(userIds);
  // After what everyone hears: whom a call is not for hears so last.
  for (const [userId, positions] of Object.entries(mentions))
    if (audience?.has(userId) ?? true)
      sockets.emitMentioned(userId, timelineId, { ...activity, mentions: positions }, fresh);
}
