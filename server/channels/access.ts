import type { Channel } from '../../shared/channels.ts';
import { notFound } from '../../shared/failure.ts';
import type { Permission } from '../../shared/permissions.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { serverFor, type ServerAccess } from '../servers/access.ts';
import { findChannel, findServers } from './store.ts';

export interface ChannelAccess extends ServerAccess {
  channel: Channel;
}

/**
 * The only way to a channel. One in a server that the caller is not in looks like one that is not.
 * @throws ChatError not_found, or forbidden to members without the permission
 */
export async function channelFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  channelId: string,
  permission: Permission,
): Promise<ChannelAccess> {
  const channel = await findChannel(db, channelId);
  if (channel === undefined) throw notFound();
  return { ...(await serverFor(db, caller, channel.serverId, permission)), channel };
}

/** The server of each of these channels that exists. */
export const serversOfChannels = (db: Db, channelIds: string[]): Promise<Map<string, string>> =>
  findServers(db, [...new Set(channelIds)]);
