/** Names of the rooms that sockets are in: those of the protocol, and two kinds that only nodes use. */
import { splitRoom, type Room } from '../../shared/rooms.ts';

/** Receives the activity of a server's timelines without joining them. It has no version and no state. */
export type ActivityRoom = `activity:${string}`;
/** A room that requires a right. Sockets are evicted from it when the right ends. */
export type Subscribable = Room | ActivityRoom;
/** Contains the session's public id, never its cookie, because room names can leave the process. */
export type SessionRoom = `session:${string}`;

export const activityRoom = (serverId: string): ActivityRoom => `activity:${serverId}`;
export const sessionRoom = (sessionId: string): SessionRoom => `session:${sessionId}`;
export const isRoom = (room: Subscribable): room is Room => !room.startsWith('activity:');

/** True if the scope is the room itself, which is then the timeline of a conversation. */
export const isConversationScope = (room: Room, scope: string): boolean =>
  splitRoom(room).id === scope;
