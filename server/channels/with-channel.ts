/** How a channel is changed: under the locks of its server, with the rooms of all who see it. */
import type { Permission } from '../../shared/permissions.ts';
import type { Caller } from '../command.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { channelFor, type ChannelAccess } from './access.ts';
import { channelRooms } from './private-channels.ts';

export interface Change {
  permission: Permission;
  /** `end` if who sees it may change: exclusive, so that all who do stand still. */
  lock: 'shared' | 'exclusive';
  /** Who may come to see it by this. */
  newcomers?: (db: Db, serverId: string) => Promise<string[]>;
}

/** Does `work` on a channel. The right is read twice, as `act` does for a server. */
export async function changeChannel<T>(
  caller: Caller,
  channelId: string,
  { permission, lock, newcomers = () => Promise.resolve([]) }: Change,
  work: (work: RoomTransaction, access: ChannelAccess) => Promise<T>,
): Promise<T> {
  const { server } = await channelFor(caller.app.db, caller, channelId, permission);
  const rooms = async (db: Db) => channelRooms(db, server.id, await newcomers(db, server.id));
  return commit(caller.app, { [lock]: [server.id], rooms }, async (under) =>
    work(under, await channelFor(under.db, caller, channelId, permission)),
  );
}
