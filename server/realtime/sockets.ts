/** The sockets of this node: the only file that emits to rooms, takes sockets out of rooms, and closes them. */
import type {
  Closing,
  RoomChanges,
  ServerToClientEvents,
  VolatileEvent,
  VolatilePayload,
} from '../../shared/protocol.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { Activity } from '../../shared/reads.ts';
import { splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Io } from '../app.ts';
import type { ChatSocket } from '../command.ts';
import type { Backpressure } from './backpressure.ts';
import {
  activityRoom,
  isRoom,
  sessionRoom,
  type SessionRoom,
  type Subscribable,
} from './room-names.ts';

type EventName = keyof ServerToClientEvents;
export type Payload<E extends EventName> = Parameters<ServerToClientEvents[E]>[0];
/** Events that sockets which are behind do not get. */
export type LossyEvent = 'presence' | 'people' | 'read';

/** Sockets that were just given their badges, by id, each with the position up to which those badges count. */
export type FreshSockets = Map<string, number>;

/** Whose sockets leave: those of `userId`, or with none all but those of `keepUserIds`. */
export interface Eviction {
  userId?: string | undefined;
  keepUserIds?: string[] | undefined;
}

/** What a person does in a room at this moment. */
export interface Moment<E extends VolatileEvent = VolatileEvent> {
  room: Room;
  event: E;
  payload: VolatilePayload<E>;
  userId: string;
}

export interface Sockets {
  all(): ChatSocket[];
  in(room: Subscribable | SessionRoom): ChatSocket[];
  /** Whether this node has a socket in the room. */
  hasAny(room: Subscribable): boolean;
  emitChanges(changes: RoomChanges): void;
  /** Says how far a room is to sockets that may be behind: they ask for what is missing. */
  emitHead(room: Room, version: number): void;
  emit<E extends EventName>(room: Room, event: E, payload: Payload<E>): void;
  emitLossy<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>): void;
  /** Says what a person does at this moment to the others in a room: sockets that cannot take it now never hear of it. */
  emitVolatile<E extends VolatileEvent>(moment: Moment<E>): void;
  /**
   * Says that a timeline got longer, to sockets that list it but are not in its room: of everyone in its server, or of
   * these people. A fresh socket hears of positions after its badges only: the person may have read the others elsewhere.
   */
  emitActivity(
    timelineId: string,
    activity: Activity,
    fresh: FreshSockets,
    userIds?: string[],
  ): void;
  /** Says that a person is mentioned, or no longer, to those of their sockets that are in the server, if there is one. */
  emitMentioned(userId: string, timelineId: string, activity: Activity, fresh: FreshSockets): void;
  /** Says that timelines have ended, to everyone in the server but `keepUserIds`. */
  emitTimelinesClosed(serverId: string, rooms: Room[], keepUserIds: string[]): void;
  /** Takes sockets out of rooms, and tells each of every room with a state that it has left. */
  evict(rooms: Iterable<Subscribable>, eviction?: Eviction): void;
  /** Closes each socket of these sessions when its commands are answered: who ends their own session hears that they did. */
  closeSessions(sessionIds: string[], closing: Closing): void;
  closeAll(closing: Closing): void;
}

interface Needs {
  io: Io;
  backpressure: Pick<Backpressure, 'behind'>;
}

export function openSockets({ io, backpressure: { behind } }: Needs): Sockets {
  const { adapter, sockets } = io.of('/');
  const all = () => [...sockets.values()];
  const socketsIn = (room: Subscribable | SessionRoom): ChatSocket[] =>
    [...(adapter.rooms.get(room) ?? [])].flatMap((id) => sockets.get(id) ?? []);

  return {
    all,
    in: socketsIn,
    hasAny: (room) => adapter.rooms.has(room),
    emitChanges(changes) {
      io.local.to(changes.room).emit('changes', changes);
    },
    emitHead(room, version) {
      io.local.to(room).emit('head', { room, version });
    },
    emit<E extends EventName>(room: Room, event: E, payload: Payload<E>) {
      io.local.to(room).emit(event, ...([payload] as Parameters<ServerToClientEvents[E]>));
    },
    emitLossy<E extends LossyEvent>(rooms: Room[], event: E, payload: Payload<E>) {
      // To no room at all would be to everybody.
      if (rooms.length === 0) return;
      io.local
        .to(rooms)
        .except([...behind])
        .emit(event, ...([payload] as Parameters<ServerToClientEvents[E]>));
    },
    emitVolatile<E extends VolatileEvent>({ room, event, payload, userId }: Moment<E>) {
      io.local
        .to(room)
        .except([userRoom(userId), ...behind])
        .volatile.emit(event, ...([payload] as unknown as Parameters<ServerToClientEvents[E]>));
    },
    emitActivity(timelineId, activity, fresh, userIds) {
      const { serverId, last } = activity;
      const rooms =
        userIds?.map(userRoom) ?? (serverId === undefined ? [] : [activityRoom(serverId)]);
      // To no room at all would be to everybody.
      if (rooms.length === 0) return;
      const timeline = timelineRoom(timelineId);
      // Who is in the timeline hears by its changes that something was said, but not that it calls them.
      const isTold = activity.mentions === undefined ? [timeline] : [];
      io.local
        .to(rooms)
        .except([...isTold, ...behind, ...fresh.keys()])
        .emit('activity', { timelines: { [timelineId]: activity } });
      for (const [id, since] of fresh) {
        const socket = sockets.get(id);
        if (socket === undefined || since >= last || behind.has(id)) continue;
        if (isTold.some((room) => socket.rooms.has(room))) continue;
        if (!rooms.some((room) => socket.rooms.has(room))) continue;
        socket.emit('activity', { timelines: { [timelineId]: { ...activity, since } } });
      }
    },
    emitMentioned(userId, timelineId, activity, fresh) {
      const { serverId } = activity;
      for (const socket of socketsIn(userRoom(userId))) {
        if (serverId !== undefined && !socket.rooms.has(activityRoom(serverId))) continue;
        if (behind.has(socket.id)) continue;
        const since = fresh.get(socket.id) ?? activity.since;
        socket.emit('activity', { timelines: { [timelineId]: { ...activity, since } } });
      }
    },
    emitTimelinesClosed(serverId, rooms, keepUserIds) {
      const timelines = Object.fromEntries(rooms.map((room) => [splitRoom(room).id, null]));
      io.local
        .to(activityRoom(serverId))
        .except(keepUserIds.map(userRoom))
        .emit('activity', { timelines });
    },
    evict(rooms, { userId, keepUserIds = [] } = {}) {
      const kept = new Set(keepUserIds);
      for (const room of rooms) {
        for (const socket of socketsIn(room)) {
          const { id } = socket.data.caller.user;
          if (userId === undefined ? kept.has(id) : id !== userId) continue;
          void socket.leave(room);
          if (isRoom(room)) socket.emit('head', { room, version: null });
        }
      }
    },
    closeSessions(sessionIds, closing) {
      for (const sessionId of sessionIds)
        for (const socket of socketsIn(sessionRoom(sessionId)))
          void socket.data.answers.end().then(() => closeSocket(socket, closing));
    },
    closeAll(closing) {
      io.local.emit('closing', closing);
      io.local.disconnectSockets(true);
    },
  };
}

/** Closes one socket, after what it was sent. */
export function closeSocket(socket: ChatSocket, closing: Closing): void {
  socket.emit('closing', closing);
  socket.disconnect(true);
}

/** Says to one socket how everyone is whom a room concerns. */
export const emitPresenceSnapshot = (socket: ChatSocket, room: Room, users: PresenceMap): void =>
  void socket.emit('presence', { room, users, full: true });
