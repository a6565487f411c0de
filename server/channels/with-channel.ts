/** Changes a channel under its server's lock, with the rooms of everyone who sees it. */
import { commandRates } from '../../shared/limits.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Caller } from '../command.ts';
import { withAccess, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { countsOf } from '../members/counts.ts';
import { channelFor, type ChannelAccess } from './access.ts';
import { channelRooms } from './private-channels.ts';
import * as store from './store.ts';

export interface ChannelUpdate {
  permission: Permission;
  /** `exclusive` if the change may affect who sees the channel: then nobody gains or loses it meanwhile. */
  lock: 'shared' | 'exclusive';
  /** People who may gain access by the change. */
  newcomers?: (db: Db, serverId: string) => Promise<string[]>;
  /** The change makes a private channel public. */
  opens?: boolean;
  /** The change may renumber the other channels. */
  renumbers?: boolean;
}

/**
 * How many people cost one more point: who are told of the change, and who get a read position; and members of all
 * private channels, who are told where their channels stand.
 */
const peoplePerPoint = { told: 100, reading: 500, renumbered: 500 };
/** Renumbering costs no more, so that an account can do it twice a minute in the largest server. */
const maxForRenumbering = commandRates.write.points / 2 - 1;

/** Runs `work` on a channel by a right of the caller’s. */
export function changeChannel<T>(
  caller: Caller,
  channelId: string,
  { permission, lock, newcomers = () => Promise.resolve([]), opens, renumbers }: ChannelUpdate,
  work: (work: RoomTransaction, access: ChannelAccess) => Promise<T>,
): Promise<T> {
  return withAccess(
    caller.app,
    (db) => channelFor(db, caller, channelId, permission),
    async ({ channel, server: { id } }) => {
      await takeCost(caller, channel, opens === true);
      if (renumbers === true) await takeRenumberingCost(caller, id);
      const rooms = async (db: Db) => channelRooms(db, id, await newcomers(db, id));
      return { [lock]: [id], rooms };
    },
    work,
  );
}

/** Charges for large private channels: each member is told of all members, which can be megabytes. */
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

/** Charges for telling the members of a server's private channels where these stand now. */
export async function takeRenumberingCost({ app, user }: Caller, serverId: string): Promise<void> {
  const told = await store.countPrivateMemberships(app.db, serverId);
  const points = Math.min(Math.floor(told / peoplePerPoint.renumbered), maxForRenumbering);
  if (points > 0) await app.limits.take('write', user.id, points);
}
