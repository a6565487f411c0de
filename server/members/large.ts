/**
 * Large servers. In one with thousands of members, most changes in its room would be of people coming and
 * going whom hardly anybody there knows, and each joining would wait for the one before. So the room of a server
 * that has grown large holds its staff only, and everyone else is read by pages, until many have left again.
 */
import { serverRoom } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { findLarge, updateLarge } from './large-store.ts';

export const isLarge = async (db: Db, serverId: string): Promise<boolean> =>
  (await findLarge(db, [serverId])).length > 0;

/** With fewer members than this a large server is large no more: well below where it became so, or it would go to and fro. */
export const fewestOfLarge = ({ PARLEY_LARGE_SERVER }: Config): number =>
  Math.ceil(PARLEY_LARGE_SERVER * 0.8);

/**
 * Makes a server large, or ends that. Everyone in its room takes a snapshot: they hold rows that nobody will tell of
 * again, or lack those that are told of from now on.
 */
export async function setLarge(
  work: RoomTransaction,
  serverId: string,
  large: boolean,
): Promise<void> {
  await updateLarge(work.db, serverId, large);
  work.nextVersion(serverRoom(serverId));
  work.resetRoom(serverRoom(serverId));
}
