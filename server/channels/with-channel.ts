import type { Permission } from '../../shared/permissions.ts';
import { notifiedPerPoint, takeMore } from '../admission/points.ts';
import { withAccess, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { countsOf } from '../members/counts.ts';
import type { Caller, Context } from '../caller.ts';
import { countPrivateMemberships } from './access-store.ts';
import { channelFor, type ChannelAccess } from './access.ts';
import { channelRooms } from './private-channels.ts';

export interface ChannelUpdate {
  permission: Permission;
  /** `exclusive` if the change can affect who sees the channel, so that nobody gains or loses it meanwhile. */
  lock: 'shared' | 'exclusive';
  /** People who can gain access by the change. */
  newcomers?: (db: Db, serverId: string) => Promise<string[]>;
  /** True if the change makes a private channel public. */
  opens?: boolean;
  renumbers?: (channel: ChannelAccess['channel']) => boolean;
}

/**
 * The number of people for one additional point: `reading` get a new read position, and `renumbered` are the members of
 * all private channels, who receive the new positions.
 */
const peoplePerPoint = { reading: 500, renumbered: 500 };

export function changeChannel<T>(
  caller: Caller,
  channelId: string,
  {
    permission,
    lock,
    newcomers = () => Promise.resolve([]),
    opens = false,
    renumbers,
  }: ChannelUpdate,
  work: (work: RoomTransaction, access: ChannelAccess) => Promise<T>,
): Promise<T> {
  return withAccess(
    caller,
    (db) => channelFor(db, caller, channelId, permission),
    async ({ channel, server: { id } }) => {
      const others = renumbers?.(channel) === true ? await pointsOfRenumbering(caller, id) : 0;
      const joining = (await newcomers(caller.db, id)).length;
      await takeMore(caller, others + (await pointsOf(caller, channel, { joining, opens })));
      const rooms = async (db: Db) => channelRooms(db, id, await newcomers(db, id));
      return { [lock]: [id], rooms };
    },
    work,
  );
}

/** Points for a large private channel, because each member receives the list of all members, possibly megabytes. */
async function pointsOf(
  context: Context,
  channel: ChannelAccess['channel'],
  { joining, opens }: { joining: number; opens: boolean },
): Promise<number> {
  const members = channel.private ? channel.memberIds.length : 0;
  const notified = Math.floor((members + joining) / notifiedPerPoint);
  if (!channel.private) return notified;
  const readers = opens ? (await countsOf(context, channel.serverId)).members : 0;
  return notified + Math.floor(readers / peoplePerPoint.reading);
}

export async function pointsOfRenumbering({ db }: Context, serverId: string): Promise<number> {
  const memberships = await countPrivateMemberships(db, serverId);
  return Math.floor(memberships / peoplePerPoint.renumbered);
}
