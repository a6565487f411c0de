import { query, type Db } from '../../server/database/database.ts';
import type { Message } from '../../shared/messages.ts';
import type { Stored } from './history.ts';

export async function readStored(db: Db, serverId: string, timelineIds: string[]): Promise<Stored> {
  const rooms = await query<{ id: string; version: number; lastPosition: number }>(
    db,
    'select id, version, last_position as "lastPosition" from rooms where id = any($1::uuid[]) order by id',
    [timelineIds],
  );
  const messages = await query<Message>(
    db,
    `select id, timeline_id as "timelineId", author_id as "authorId", position, version, body
     from messages where timeline_id = any($1::uuid[]) order by position`,
    [timelineIds],
  );
  const members = await query<{ userId: string; role: string }>(
    db,
    'select user_id as "userId", role from members where server_id = $1',
    [serverId],
  );
  return {
    serverId,
    members: Object.fromEntries(members.map(({ userId, role }) => [userId, role])),
    timelines: rooms.map((room) => ({
      ...room,
      messages: messages.filter(({ timelineId }) => timelineId === room.id),
    })),
  };
}
