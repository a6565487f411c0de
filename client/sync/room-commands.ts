/** Commands that open and leave rooms. A user's own room is entered by connecting. */
import type { Entry } from '../../shared/entry.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { Connection } from './connection.ts';
import type { RoomReplica } from './room-replica.ts';

type Send = Connection['send'];

export function openRoom(
  send: Send,
  room: Room,
  { version: since, rest: after }: RoomReplica,
  isConversation: boolean,
): Promise<Entry> {
  const { kind, id } = splitRoom(room);
  if (kind === 'server') return send('server:open', { serverId: id, since, after });
  return isConversation
    ? send('conversation:open', { conversationId: id, since })
    : send('channel:join', { channelId: id, since });
}

export function leaveTimeline(send: Send, room: Room, isConversation: boolean): Promise<unknown> {
  const { id } = splitRoom(room);
  return isConversation
    ? send('conversation:close', { conversationId: id })
    : send('channel:leave', { channelId: id });
}
