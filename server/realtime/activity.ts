/**
 * Live badges: tells everyone in a server or conversation that a timeline has new messages, also people who have not
 * joined it. At most once a second for each timeline, and every ten seconds in large servers, since only the last
 * position matters. Events can get lost; `sync` makes up for it.
 */
import { splitRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Clock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import { readAccessVersion, type AccessVersions } from './access-version.ts';
import type { AccessVersion, Envelope, Grant } from './node-messages.ts';
import type { RoomFeatures } from './room-features.ts';
import { activityRoom, isConversationScope } from './room-names.ts';
import type { LargeServers } from './large-servers.ts';
import type { FreshSockets, Sockets } from './sockets.ts';
import type { ChatSocket, Subscriber } from './chat-socket.ts';

type TimelineActivity = NonNullable<Envelope['said']>;

export interface ActivityFeed {
  /** Makes a socket join the activity rooms of all servers of its user. */
  join(subscriber: Subscriber, socket: ChatSocket): Promise<void>;
  /** The same for all devices of a new member; then tells them what was said before they had joined the rooms. */
  enter(grant: Grant): Promise<void>;
  /**
   * Excludes a socket from pending activity in timelines with ids after `after`, and drops activity that is buffered
   * for it: the badges that it is about to get include both.
   */
  excludePending(socket: ChatSocket, after?: string): void;
  /** Tells a timeline's activity at once. More activity within the pause is merged and told at its end. */
  record(accessVersion: AccessVersion, room: Room, activity: TimelineActivity): void;
  /** How many timelines are in their pause. */
  pendingCount(): number;
  reset(): void;
}

type PendingActivity = TimelineActivity & { fresh: FreshSockets };

/**
 * The activity of a timeline that is being told, the activity since then, and the access version. A timeline rests, is
 * being told, or is being told and has more for the end of its pause:
 *
 *     rests ──said──► telling ──said──► telling, next ──said──► (merged into next)
 *       ▲                │ pause over       │ pause over
 *       └────────────────┘                  └──► telling
 */
interface Pending {
  accessVersion: AccessVersion;
  telling: PendingActivity | undefined;
  next: PendingActivity | undefined;
  /** Settles when all that is being told has been told. */
  told: Promise<unknown>;
}

interface Needs {
  db: Db;
  log: Logger;
  clock: Clock;
  sockets: Sockets;
  access: AccessVersions;
  /** The servers that this node knows to be large. */
  large: Pick<LargeServers, 'has'>;
  features: Pick<RoomFeatures, 'activity'>;
}

interface Part extends Needs {
  pending: Map<Room, Pending>;
}

const pauseMs = 1_000;
/** In large servers, where there is always some activity. */
const longPauseMs = 10_000;
/** The most deleted positions in one activity. With more, badges are correct again after the next `ready`. */
const maxDeleted = 1_000;

export function openActivity(needs: Needs): ActivityFeed {
  const pending: Part['pending'] = new Map();
  const part = { ...needs, pending };
  return {
    join: (subscriber, socket) => join(part, subscriber, socket),
    enter: (grant) => enter(part, grant),
    excludePending: (socket, after) => excludePending(part, socket, after),
    record: (accessVersion, room, activity) => record(part, accessVersion, room, activity),
    pendingCount: () => pending.size,
    reset: () => pending.clear(),
  };
}

async function join(part: Part, { db, user }: Subscriber, socket: ChatSocket): Promise<void> {
  const { access, features } = part;
  for (;;) {
    const versions = await features.activity.accessVersionsOf(db, user.id);
    if (!socket.connected) return;
    // No await from the check to the join: nothing else runs in between on this node.
    const sure = versions.filter((one) => access.tryJoinAt(activityRoom(one.scope), one));
    await socket.join(sure.map(({ scope }) => activityRoom(scope)));
    if (sure.length === versions.length) return;
    // Somebody has lost access to one of the others in the meantime, perhaps this very user.
    for (const one of versions) await access.catchUpTo(one);
  }
}

async function enter(part: Part, grant: Grant): Promise<void> {
  const here = part.sockets.in(userRoom(grant.userId));
  if (here.length === 0) return;
  await Promise.all(here.map((socket) => join(part, socket.data.caller, socket)));
  await tellMissed(part, grant);
}

/** Only for servers: in conversations the participants are read at the moment of telling, so nothing is missed. */
async function tellMissed({ db, access, features, sockets }: Part, { userId, read }: Grant) {
  for (;;) {
    const { missed, versions } = await readTransaction(db, async (db) => ({
      missed: await features.activity.saidSince(db, userId, read),
      versions: await features.activity.accessVersionsOf(db, userId),
    }));
    // From here to the telling nothing else runs on this node.
    const late = versions.find((one) => !access.tryJoinAt(activityRoom(one.scope), one));
    if (late === undefined) {
      for (const [timelineId, activity] of missed)
        if (activity.serverId !== undefined) sockets.emitActivityTo(userId, timelineId, activity);
      return;
    }
    await access.catchUpTo(late);
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
  const pending = part.pending.get(room);
  if (pending === undefined) {
    begin(part, accessVersion, room, { ...activity, fresh: new Map() });
    return;
  }
  const { next } = pending;
  if (next !== undefined && next.private !== activity.private) {
    const { accessVersion, told } = pending;
    pending.told = told.then(() => tellSoon(part, accessVersion, room, next));
  }
  Object.assign(pending, { accessVersion, next: merge(next, activity) });
}

function begin(
  part: Part,
  accessVersion: AccessVersion,
  room: Room,
  telling: PendingActivity,
): void {
  const told = tellSoon(part, accessVersion, room, telling).then(() => {
    pending.telling = undefined;
  });
  const pending: Pending = { accessVersion, telling, next: undefined, told };
  part.pending.set(room, pending);
  tellNextAfter(part, room, part.large.has(accessVersion.scope) ? longPauseMs : pauseMs);
}

const tellSoon = (
  part: Part,
  accessVersion: AccessVersion,
  room: Room,
  activity: PendingActivity,
) => attempt(part, 'activity', () => tell(part, accessVersion, room, activity));

const tellNextAfter = (part: Part, room: Room, ms: number) =>
  void part.clock.after(ms, () => void attempt(part, 'activity', () => tellNext(part, room)));

/** Waits until the messages before were told: a client that hears of newer ones first takes the older ones as read. */
async function tellNext(part: Part, room: Room): Promise<void> {
  const pending = part.pending.get(room);
  for (let told: unknown; told !== pending?.told;) await (told = pending?.told);
  // Not after a reset.
  if (pending === undefined || part.pending.get(room) !== pending) return;
  part.pending.delete(room);
  if (pending.next) begin(part, pending.accessVersion, room, pending.next);
}

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
  const gone = [...(a.deleted ?? []), ...(b.deleted ?? [])]
    .sort((one, other) => one - other)
    .slice(-maxDeleted);
  const deleted = gone.length > 0 ? { deleted: gone } : {};
  return { ...b, since, last, read, mentions, ...calls, ...deleted, fresh: a.fresh };
}

/** First tells authors their read positions, or their own messages would look unread to them. */
async function tell(
  part: Part,
  accessVersion: AccessVersion,
  room: Room,
  activity: PendingActivity,
): Promise<void> {
  const { scope } = accessVersion;
  const { id: timelineId } = splitRoom(room);
  for (const [userId, position] of Object.entries(activity.read))
    part.sockets.emitLossy([userRoom(userId)], 'read', { timelines: { [timelineId]: position } });
  // A channel that became private: only its members are told of messages from before.
  if (activity.private || part.access.isClosed(accessVersion, room))
    await tellPrivately(part, scope, room, activity);
  else emitBadges(part, timelineId, { ...activity, serverId: scope });
}

/** Tells the people who are in a private channel or conversation at this moment, not someone who has just left. */
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
    const { accessVersion, userIds } = await readTransaction(part.db, async (db) => ({
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

/** Tells everyone in the server, or only `userIds`; then each mentioned person that they are mentioned. */
function emitBadges(
  { sockets }: Part,
  timelineId: string,
  {
    since,
    last,
    mentions,
    calls,
    deleted,
    fresh,
    serverId,
  }: PendingActivity & { serverId?: string },
  userIds?: string[],
): void {
  const activity = { since, last, ...(serverId !== undefined && { serverId }) };
  if (last > since || calls || deleted)
    sockets.emitActivity(
      timelineId,
      { ...activity, ...(calls && { mentions: calls }), ...(deleted && { deleted }) },
      fresh,
      userIds,
    );
  const audience = userIds && new Set(userIds);
  // After the event for everyone, so that a person whom @everyone does not concern is told so last.
  for (const [userId, positions] of Object.entries(mentions))
    if (audience?.has(userId) ?? true)
      sockets.emitActivityTo(userId, timelineId, { ...activity, mentions: positions }, fresh);
}
