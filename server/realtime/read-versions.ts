import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { named, query, type Db } from '../database/database.ts';

/** @throws ChatError not_found, if the room does not exist */
export async function readVersion(db: Db, room: Room): Promise<number> {
  const { id } = splitRoom(room);
  const version = (await readVersions(db, [id])).get(id);
  if (version === undefined) throw notFound();
  return version;
}

const roomsById = named(
  'select id, version, access_version as "accessVersion" from rooms where id = any($1::uuid[])',
);

/** The version of a room. For a server or conversation, `accessVersion` counts its revocations. */
export interface RoomVersion {
  version: number;
  accessVersion: number;
}

/** Returns the existing rooms among `ids`, by id, all from one snapshot. */
export async function readRooms(db: Db, ids: string[]): Promise<Map<string, RoomVersion>> {
  const rows = await query<RoomVersion & { id: string }>(db, roomsById, [ids]);
  return new Map(rows.map(({ id, ...room }) => [id, room]));
}

export async function readVersions(db: Db, ids: string[]): Promise<Map<string, number>> {
  const rooms = await readRooms(db, ids);
  return new Map([...rooms].map(([id, { version }]) => [id, version]));
}
