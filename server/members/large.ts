/**
 * In a server with thousands of members, most changes would be about people that few others know, and joins would wait
 * for each other. So the room of a large server lists only its staff, and pages list everyone else.
 */
import { serverRoom } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import { findLarge, updateLarge } from './large-store.ts';

export const isLarge = async (db: Db, serverId: string): Promise<boolean> =>
  (await findLarge(db, [serverId])).length > 0;

/** With fewer members, a server stops being large. Below the upper limit, so that it does not alternate. */
export const fewestOfLarge = ({ PARLEY_LARGE_SERVER }: Config): number =>
  Math.ceil(PARLEY_LARGE_SERVER * 0.8);

/** Everyone in the room fetches a snapshot, because they hold rows that get no further changes, or lack rows. */
export async function setLarge(
  work: RoomTransaction,
  serverId: string,
  large: boolean,
): Promise<void> {
  await updateLarge(work.db, serverId, large);
  work.nextVersion(serverRoom(serverId));
  work.resetRoom(serverRoom(serverId));
}
