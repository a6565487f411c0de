/**
 * Live badges: notifies a server or conversation of new messages, at most once a second (every ten seconds in large
 * servers), because only the last position matters. Events can get lost; `sync` makes up for it.
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

type PendingActivity = TimelineActivity & { fresh: FreshSockets };

/**
 * The activity of a timeline that is being sent (`sending`), and further activity (`next`) for the end of the pause:
 *
 *     idle ──new──► sending ──new──► sending, next ──new──► (merged into next)
 *      ▲               │ pause over      │ pause over
 *      └───────────────┘                 └──► sending
 */
interface Pending {
  accessVersion: AccessVersion;
  sending: PendingActivity | undefined;
  next: PendingActivity | undefined;
  /** Settles when all activity under way is sent. */
  sent: Promise<unknown>;
}

interface Needs {
  db: Db;
  log: Logger;
  clock: Clock;
  sockets: Sockets;
  access: AccessVersions;
  large: Pick<LargeServers, 'has'>;
  features: Pick<RoomFeatures, 'activity'>;
}

const pauseMs = 1_000;
/** In large servers, where there is always some activity. */
const longPauseMs = 10_000;
/** Deleted positions in one activity. With more, badges are correct again after the next `ready`. */
const maxDeleted = 1_000;

export class ActivityFeed {
  readonly #needs: Needs;
  readonly #pending = new Map<Room, Pending>();

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  async join({ db, user }: Subscriber, socket: ChatSocket): Promise<void> {
    const { access, features } = this.#needs;
    const read = async () => {
      const accessVersions = await features.activity.accessVersionsOf(db, user.id);
      return joinsOf(socket.connected ? accessVersions : []);
    };
    await access.join(read, ({ joins }) => socket.join(joins.map(([room]) => room)));
  }

  /** Joins for all sockets of a new member, then sends the activity from before the joins. */
  async enter(grant: Grant): Promise<void> {
    const here = this.#needs.sockets.in(userRoom(grant.userId));
    if (here.length === 0) return;
    await Promise.all(here.map((socket) => this.join(socket.data.caller, socket)));
    await this.#emitMissed(grant);
  }

  /** Only for servers: for conversations, participants are read when activity is sent, so nothing is missed. */
  #emitMissed({ userId, read }: Grant): Promise<void> {
    const { db, access, features, sockets } = this.#needs;
    return access.join(
      () =>
        readTransaction(db, async (db) => ({
          missed: await features.activity.saidSince(db, userId, read),
          ...joinsOf(await features.activity.accessVersionsOf(db, userId)),
        })),
      ({ missed }) => {
        for (const [timelineId, activity] of missed)
          if (activity.serverId !== undefined)
            sockets.emitActivityTo(userId, timelineId, activity, { serverId: activity.serverId });
      },
    );
  }

  /** Excludes a socket from pending activity in timelines after `after`, because the badges to be sent include it. */
  excludePending(socket: ChatSocket, after = ''): void {
    socket.data.early.forget('activity');
    for (const [room, { accessVersion, sending, next }] of this.#pending) {
      const { scope } = accessVersion;
      if (splitRoom(room).id <= after) continue;
      if (isConversationScope(room, scope) || socket.rooms.has(activityRoom(scope)))
        for (const one of [sending, next]) one?.fresh.set(socket.id, one.last);
    }
  }

  record(accessVersion: AccessVersion, room: Room, activity: TimelineActivity): void {
    const pending = this.#pending.get(room);
    if (pending === undefined) {
      this.#begin(accessVersion, room, { ...activity, fresh: new Map() });
      return;
    }
    const { next } = pending;
    if (next !== undefined && next.private !== activity.private) {
      const { accessVersion, sent } = pending;
      pending.sent = sent.then(() => this.#emitSoon(accessVersion, room, next));
    }
    Object.assign(pending, { accessVersion, next: merge(next, activity) });
  }

  #begin(accessVersion: AccessVersion, room: Room, sending: PendingActivity): void {
    const { clock, large } = this.#needs;
    const sent = this.#emitSoon(accessVersion, room, sending).then(() => {
      pending.sending = undefined;
    });
    const pending: Pending = { accessVersion, sending, next: undefined, sent };
    this.#pending.set(room, pending);
    clock.after(
      large.has(accessVersion.scope) ? longPauseMs : pauseMs,
      () => void attempt(this.#needs, 'activity', () => this.#emitNext(room)),
    );
  }

  #emitSoon(accessVersion: AccessVersion, room: Room, activity: PendingActivity) {
    return attempt(this.#needs, 'activity', () => this.#emit(accessVersion, room, activity));
  }

  /** Waits until earlier activity is sent: a client that receives newer activity first takes older messages as read. */
  async #emitNext(room: Room): Promise<void> {
    const pending = this.#pending.get(room);
    for (let sent: unknown; sent !== pending?.sent;) await (sent = pending?.sent);
    // A reset has removed it.
    if (pending === undefined || this.#pending.get(room) !== pending) return;
    this.#pending.delete(room);
    if (pending.next) this.#begin(pending.accessVersion, room, pending.next);
  }

  /** Sends authors their read positions first, or their own messages would look unread to them. */
  async #emit(accessVersion: AccessVersion, room: Room, activity: PendingActivity): Promise<void> {
    const { sockets, access } = this.#needs;
    const { scope } = accessVersion;
    const { id: timelineId } = splitRoom(room);
    for (const [userId, position] of Object.entries(activity.read))
      sockets.emitLossy([userRoom(userId)], 'read', { timelines: { [timelineId]: position } });
    // After a channel became private, only its members receive activity from before.
    if (activity.private || access.isClosed(accessVersion, room))
      await this.#emitPrivately(scope, room, activity);
    else emitBadges(sockets, timelineId, { ...activity, serverId: scope });
  }

  /** Sends activity to the current members of a private channel or conversation, not to one who has just left. */
  #emitPrivately(scope: string, room: Room, activity: PendingActivity): Promise<void> {
    const { db, access, features, sockets } = this.#needs;
    const { id } = splitRoom(room);
    const isConversation = isConversationScope(room, scope);
    const where = isConversation ? {} : { serverId: scope };
    const audience = features.activity.audience[isConversation ? 'conversation' : 'channel'];
    return access.join(
      () =>
        readTransaction(db, async (db) => ({
          ...joinsOf([await readAccessVersion(db, scope)]),
          userIds: await audience(db, id),
        })),
      ({ userIds }) => emitBadges(sockets, id, { ...activity, ...where }, userIds),
    );
  }

  pendingCount(): number {
    return this.#pending.size;
  }

  reset(): void {
    this.#pending.clear();
  }
}

const joinsOf = (accessVersions: AccessVersion[]) => ({
  joins: accessVersions.map((one) => [activityRoom(one.scope), one] as const),
});

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

function emitBadges(
  sockets: Sockets,
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
  // A member of a private channel may not have entered the server's activity yet, because they have just joined.
  const options = { fresh, serverId: audience ? undefined : serverId };
  // After the event for everyone, so that a person not concerned by @everyone receives the exception last.
  for (const [userId, positions] of Object.entries(mentions))
    if (audience?.has(userId) ?? true)
      sockets.emitActivityTo(userId, timelineId, { ...activity, mentions: positions }, options);
}
