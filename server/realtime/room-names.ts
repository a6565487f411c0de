/** The rooms that sockets of a node are in: those of the wire, and two that only a node knows. */
import { splitRoom, type Room } from '../../shared/rooms.ts';

/** Hears of a server's timelines without having joined them. It has no version and no state. */
export type ActivityRoom = `activity:${string}`;
/** All that a socket is in by a right, and is evicted from. */
export type Subscribable = Room | ActivityRoom;
/** By the session's public id: room names travel, cookies must not. */
export type SessionRoom = `session:${string}`;

export const activityRoom = (serverId: string): ActivityRoom => `activity:${serverId}`;
export const sessionRoom = (sessionId: string): SessionRoom => `session:${sessionId}`;
export const isRoom = (room: Subscribable): room is Room => !room.startsWith('activity:');

/** Whether revocations of this scope concern the room alone: then it is a conversation’s. */
export const isConversationScope = (room: Room, scope: string): boolean =>
  splitRoom(room).id === scope;
