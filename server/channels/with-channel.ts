/** How a channel is changed: under the locks of its server, with the rooms of all who see it. */
import type { Permission } from '../../shared/permissions.ts';
import type { Caller } from '../command.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { countsOf } from '../members/counts.ts';
import { channelFor, type ChannelAccess } from './access.ts';
import { channelRooms } from './private-channels.ts';

export interface ChannelUpdate {
  permission: Permission;
  /** `end` if who sees it may change: exclusive, so that all who do stand still. */
  lock: 'shared' | 'exclusive';
  /** Who may come to see it by this. */
  newcomers?: (db: Db, serverId: string) => Promise<string[]>;
  /** Whether everyone in the server comes to see it by this, if it is private. */
  opens?: boolean;
}

/** So many who are told of a change are one point more, and so many who begin to read somewhere. */
const peoplePerPoint = { told: 100, reading: 500 };

/** Does `work` on a channel. The right is read twice, as `act` does for a server. */
export async function changeChannel<T>(
  caller: Caller,
  channelId: string,
  { permission, lock, newcomers = () => Promise.resolve([]), opens = false }: ChannelUpdate,
  work: (work: RoomTransaction, access: ChannelAccess) => Promise<T>,
): Promise<T> {
  const { channel, server } = await channelFor(caller.app.db, caller, channelId, permission);
  await takeCost(caller, channel, opens);
  const rooms = async (db: Db) => channelRooms(db, server.id, await newcomers(db, server.id));
  return commit(caller.app, { [lock]: [server.id], rooms }, async (under) =>
    work(under, await channelFor(under.db, caller, channelId, permission)),
  );
}

/** Each who is in a private channel is told of all who are: a change of one with hundreds in it is megabytes. */
async function takeCost(
  { app, user }: Caller,
  channel: ChannelAccess['channel'],
  opens: boolean,
): Promise<void> {
  if (!channel.private) return;
  const readers = opens ? (await countsOf(app, channel.serverId)).members : 0;
  const { told, reading } = peoplePerPoint;
  const points = Math.floor(channel.memberIds.length / told) + Math.floor(readers / reading);
  if (points > 0) await app.limits.take('write', user.id, points);
}
