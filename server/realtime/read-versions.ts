import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { named, query, type Db } from '../database/database.ts';

/** @throws ChatError not_found, when the room is no more */
export async function readVersion(db: Db, room: Room): Promise<number> {
  const { id } = splitRoom(room);
  const version = (await readVersions(db, [id])).get(id);
  if (version === undefined) throw notFound();
  return version;
}

const roomsById = named(
  'select id, version, access_version as "accessVersion" from rooms where id = any($1::uuid[])',
);

/** How far a room is; of a server or a conversation, how many revocations it has had too. */
export interface RoomVersion {
  version: number;
  accessVersion: number;
}

/** Those of these rooms that exist, by id, all of one moment. */
export async function readRooms(db: Db, ids: string[]): Promise<Map<string, RoomVersion>> {
  const rows = await query<RoomVersion & { id: string }>(db, roomsById, [ids]);
  return new Map(rows.map(({ id, ...room }) => [id, room]));
}

/** The versions of those of these rooms that exist, by id. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, number>> {
  const rooms = await readRooms(db, ids);
  return new Map([...rooms].map(([id, { version }]) => [id, version]));
}
