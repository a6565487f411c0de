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

const versionsOf = named('select id, version from rooms where id = any($1::uuid[])');

/** The versions of those of these rooms that exist, by id. */
export async function readVersions(db: Db, ids: string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; version: number }>(db, versionsOf, [ids]);
  return new Map(rows.map(({ id, version }) => [id, version]));
}
