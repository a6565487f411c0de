/** The sockets of this node. Only this file emits to rooms, removes sockets from rooms, and closes sockets. */
import type {
  Closing,
  LossyEvent,
  RoomChanges,
  ServerToClientEvents,
  VolatileEvent,
  VolatilePayload,
} from '../../shared/protocol.ts';
import type { Activity } from '../../shared/reads.ts';
import { splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import {
  activityRoom,
  isRoom,
  sessionRoom,
  type SessionRoom,
  type Subscribable,
} from './room-names.ts';
import type { ChatSocket, Io } from './chat-socket.ts';

type EventName = keyof ServerToClientEvents;
export type Payload<E extends EventName> = Parameters<ServerToClientEvents[E]>[0];

/** Sockets that have just received their badges, by id, with the last position that the badges include. */
export type FreshSockets = Map<string, number>;

/** The sockets to remove: those of `userId`, or without it all except those of `keepUserIds`. */
export interface Eviction {
  userId?: string | undefined;
  keepUserIds?: string[] | undefined;
}

export interface Moment<E extends VolatileEvent = VolatileEvent> {
  room: Room;
  event: E;
  payload: VolatilePayload<E>;
  userId: string;
}

interface Needs {
  io: Io;
  backpressure: { behind: ReadonlySet<string> };
}

export class Sockets {
  readonly #io: Io;
  readonly #here: ReturnType<Io['of']>;
  readonly #behind: ReadonlySet<string>;

  constructor({ io, backpressure: { behind } }: Needs) {
    this.#io = io;
    this.#here = io.of('/');
    this.#behind = behind;
  }

  all(): ChatSocket[] {
    return [...this.#here.sockets.values()];
  }

  in(room: Subscribable | SessionRoom): ChatSocket[] {
    const { adapter, sockets } = this.#here;
    return [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id) ?? []);
  }

  hasAny(room: Subscribable): boolean {
    return this.#here.adapter.rooms.has(room);
  }

  emitChanges(changes: RoomChanges): void {
    this.#io.local.to(changes.room).emit('changes', changes);
  }

  /** Sends a room's version: clients that hold an older one ask for the changes. */
  emitHead(room: Room, version: number): void {
    this.#io.local.to(room).emit('head', { room, version });
  }

  emit<E extends EventName>(room: Room, event: E, payload: Payload<E>): void {
    this.#io.local.to(room).emit(event, ...([payload] as Parameters<ServerToClientEvents[E]>));
  }

  emitLossy<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void {
    // Without a room, Socket.IO emits to everyone.
    if (rooms.length === 0) return;
    this.#io.local
      .to(rooms)
      .except([...this.#behind])
      .emit(event, ...([payload] as Parameters<ServerToClientEvents[E]>));
  }

  /** Sends a volatile event to the others in a room. A socket that cannot take it now never gets it. */
  emitVolatile<E extends VolatileEvent>({ room, event, payload, userId }: Moment<E>): void {
    this.#io.local
      .to(room)
      .except([userRoom(userId), ...this.#behind])
      .volatile.emit(event, ...([payload] as unknown as Parameters<ServerToClientEvents[E]>));
  }

  /**
   * Sends a timeline's activity to its server, or to `userIds`, except sockets in its room. For a fresh socket it
   * begins after its badges, because the user may have read earlier messages elsewhere.
   */
  emitActivity(
    timelineId: string,
    activity: Activity,
    fresh: FreshSockets,
    userIds?: string[],
  ): void {
    const { serverId, last } = activity;
    const rooms =
      userIds?.map(userRoom) ?? (serverId === undefined ? [] : [activityRoom(serverId)]);
    // Without a room, Socket.IO emits to everyone.
    if (rooms.length === 0) return;
    const timeline = timelineRoom(timelineId);
    // Sockets in the timeline receive its changes, which do not carry mentions of everyone.
    const excluded = activity.mentions === undefined ? [timeline] : [];
    this.#io.local
      .to(rooms)
      .except([...excluded, ...this.#behind, ...fresh.keys()])
      .emit('activity', { timelines: { [timelineId]: activity } });
    for (const [id, since] of fresh) {
      const socket = this.#here.sockets.get(id);
      // Its badges may be older than the deletion.
      const isKnown = since >= last && activity.deleted === undefined;
      if (socket === undefined || isKnown || this.#behind.has(id)) continue;
      if (excluded.some((room) => socket.rooms.has(room))) continue;
      if (!rooms.some((room) => socket.rooms.has(room))) continue;
      const news = { ...activity, since: Math.min(since, last) };
      socket.emit('activity', { timelines: { [timelineId]: news } });
    }
  }

  /**
   * Sends activity to one person's sockets. With `serverId`, only to those in that server; without it, the person must
   * be known to see the timeline.
   */
  emitActivityTo(
    userId: string,
    timelineId: string,
    activity: Activity,
    { serverId, fresh }: { serverId?: string | undefined; fresh?: FreshSockets } = {},
  ): void {
    for (const socket of this.in(userRoom(userId))) {
      if (serverId !== undefined && !socket.rooms.has(activityRoom(serverId))) continue;
      if (this.#behind.has(socket.id)) continue;
      const since = fresh?.get(socket.id) ?? activity.since;
      socket.emit('activity', { timelines: { [timelineId]: { ...activity, since } } });
    }
  }

  emitTimelinesClosed(serverId: string, rooms: Room[], keepUserIds: string[]): void {
    const timelines = Object.fromEntries(rooms.map((room) => [splitRoom(room).id, null]));
    this.#io.local
      .to(activityRoom(serverId))
      .except(keepUserIds.map(userRoom))
      .emit('activity', { timelines });
  }

  /** Removes sockets from rooms, and notifies each socket of the rooms that it has lost. */
  evict(rooms: Iterable<Subscribable>, { userId, keepUserIds = [] }: Eviction = {}): void {
    const keptIds = new Set(keepUserIds);
    for (const room of rooms) {
      for (const socket of this.in(room)) {
        const { id } = socket.data.caller.user;
        if (userId === undefined ? keptIds.has(id) : id !== userId) continue;
        // eslint-disable-next-line parley/handled -- The adapter removes the socket at once and returns no promise.
        void socket.leave(room);
        // Sent last, so that a client that was still joining knows that it is out (test/laws/races.test.ts).
        if (isRoom(room)) socket.emit('head', { room, version: null });
      }
    }
  }

  /** Closes each socket of these sessions once its commands are answered, so that a sign-out is answered too. */
  closeSessions(sessionIds: string[], closing: Closing): void {
    for (const sessionId of sessionIds)
      for (const socket of this.in(sessionRoom(sessionId))) {
        const close = () => closeSocket(socket, closing);
        void socket.data.answers.end().then(close, close);
      }
  }

  closeAll(closing: Closing): void {
    this.#io.local.emit('closing', closing);
    this.#io.local.disconnectSockets(true);
  }
}

/** Closes a socket after sending its queued packets. */
export function closeSocket(socket: ChatSocket, closing: Closing): void {
  socket.emit('closing', closing);
  socket.disconnect(true);
}

export const emitPresenceSnapshot = (
  socket: ChatSocket,
  presence: Omit<Payload<'presence'>, 'full'>,
): void => void socket.emit('presence', { ...presence, full: true });
