import type { Channel } from '../../shared/channels.ts';
import { timelineRoom, type Room } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import { findChannels } from './store.ts';

export function channelsIn(db: Db, serverId: string): Promise<Channel[]> {
  return findChannels(db, serverId);
}

/** The rooms of a server's timelines: what somebody who goes must be out of. */
export const timelinesIn = async (db: Db, serverId: string): Promise<Room[]> =>
  (await findChannels(db, serverId)).map(({ id }) => timelineRoom(id));
