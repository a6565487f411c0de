import type { Channel, PublicChannel } from '../../shared/channels.ts';
import { notFound } from '../../shared/failure.ts';
import {
  permissionsIn,
  type ChannelRules,
  type Grantable,
  type Permission,
} from '../../shared/permissions.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { standingsIn } from '../members/access.ts';
import { refusalOf, serverFor, type ServerAccess } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import {
  findChannelsOf,
  findGranted,
  findPrivateMembers,
  findRulesAmong,
  findServersOfChannels,
  type FoundRules,
  type NamedChannel,
} from './access-store.ts';
import { findChannel, findPublicChannels } from './store.ts';

export interface ChannelAccess extends ServerAccess {
  channel: Channel;
}

/** The only way to a channel. @throws ChatError not_found, also for an invisible one; forbidden without the right */
export async function channelFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  channelId: string,
  permission: Permission,
): Promise<ChannelAccess> {
  const channel = await findChannel(db, channelId, caller.user.id);
  if (channel === undefined) throw notFound();
  const access = await serverFor(db, caller, channel.serverId, 'see');
  requireRight(permissionsIn(channel, access.standing, caller.user), permission);
  return { ...access, channel };
}

/** @throws ChatError not_found without the right to see, forbidden without this permission */
export function requireRight(rights: ReadonlySet<Permission>, permission: Permission): void {
  if (!rights.has('see')) throw notFound();
  if (!rights.has(permission)) throw refusalOf(permission, rights);
}

export async function channelsSeenBy(
  db: Db,
  { user }: Pick<Caller, 'user'>,
  channels: Pick<Channel, 'id' | 'serverId'>[],
): Promise<Set<string>> {
  const ids = channels.map(({ id }) => id);
  const rulesOf = await channelRules(db, ids, [user.id]);
  const standingIn = await standingsIn(
    db,
    channels.map(({ serverId }) => ({ userId: user.id, serverId })),
  );
  const seen = channels.filter(({ id, serverId }) => {
    const standing = standingIn(user.id, serverId);
    return standing !== undefined && permissionsIn(rulesOf(id), standing, user).has('see');
  });
  return new Set(seen.map(({ id }) => id));
}

export const serversOfChannels = (db: Db, channelIds: string[]): Promise<Map<string, string>> =>
  findServersOfChannels(db, [...new Set(channelIds)]);

/** The rules of these channels. Includes only members among `userIds`. */
export async function channelRules(
  db: Db,
  channelIds: string[],
  userIds: string[],
): Promise<(channelId: string) => ChannelRules> {
  const found = await findRulesAmong(db, channelIds, [...new Set(userIds)]);
  const rules = new Map(found.map((one) => [one.id, rulesIn(one)]));
  return (channelId) => rules.get(channelId) ?? { private: false };
}

const rulesIn = ({
  memberIds,
  announcements,
  slowSeconds,
  filtered,
  senderRoleIds,
  callerRoleIds,
  ...channel
}: FoundRules): ChannelRules => ({
  ...(channel.private ? { private: true, memberIds } : { private: false }),
  ...(announcements && { announcements }),
  ...(slowSeconds > 0 && { slowSeconds }),
  ...(filtered && { filtered }),
  ...(senderRoleIds && { senderRoleIds }),
  ...(callerRoleIds && { callerRoleIds }),
});

/**
 * The permissions that a custom role has in any channel of its server, and whether it opens one that `userId` can’t see.
 * A role that opens a channel counts as `manage channels`, which adding people to the channel requires.
 */
export async function grantedInChannels(
  db: Db,
  { id, serverId }: { id: string; serverId: string },
  userId: string,
): Promise<{ permissions: Grantable[]; opensMore: boolean }> {
  const { send, call, opens, opensMore } = await findGranted(db, serverId, { roleId: id, userId });
  const permissions = [
    ...(send ? (['send'] as const) : []),
    ...(call ? (['call everyone'] as const) : []),
    ...(opens ? (['manage channels'] as const) : []),
  ];
  return { permissions, opensMore };
}

/** The channels that a person can see, in all of their servers or in one. */
export const channelsOf = (db: Db, userId: string, serverId?: string): Promise<NamedChannel[]> =>
  findChannelsOf(db, userId, serverId);

export const privateMemberIds = (db: Db, channelId: string): Promise<string[]> =>
  findPrivateMembers(db, channelId);

/** The channels slice of a server's room: the public ones. */
export const channelsIn = (db: Db, serverId: string, page: Page = {}): Promise<PublicChannel[]> =>
  findPublicChannels(db, serverId, page);
