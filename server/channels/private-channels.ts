/**
 * Only members see a private channel, so its changes are published in each member's own room. The server's owner is
 * always a member.
 */
import type { Channel, PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import { ownerOf, standingsIn } from '../members/access.ts';
import { admitAsRead, markReadByAll } from '../reads/reads.ts';
import { changePrivateChannel, changePrivateChannels } from './private-changes.ts';
import { deletePrivateMembers, insertPrivateMembers } from './private-store.ts';
import { orNull } from './rules.ts';
import * as store from './store.ts';
import { insertViewers, keepWithoutRole } from './viewer-store.ts';

/**
 * Returns the rooms that changes to a server's channels are published to, or to the private ones among `channelIds`, and
 * those of `newcomers`. Skips newcomers outside the server, so that a caller cannot lock a stranger's room. Call it under
 * the server's lock.
 */
export async function channelRooms(
  db: Db,
  serverId: string,
  newcomers: string[] = [],
  channelIds?: string[],
): Promise<Room[]> {
  const privateMembers = await store.findAllPrivateMembers(db, serverId, channelIds);
  const members = newcomers.length === 0 ? [] : await membersAmong(db, serverId, newcomers);
  return [serverRoom(serverId), ...new Set([...privateMembers, ...members].map(userRoom))];
}

async function membersAmong(db: Db, serverId: string, userIds: string[]): Promise<string[]> {
  const standingIn = await standingsIn(
    db,
    userIds.map((userId) => ({ userId, serverId })),
  );
  return userIds.filter((userId) => standingIn(userId, serverId) !== undefined);
}

export async function withOwner(db: Db, serverId: string, userIds: string[]): Promise<string[]> {
  const ownerId = await ownerOf(db, serverId);
  return [...new Set(ownerId === undefined ? userIds : [ownerId, ...userIds])];
}

/**
 * Adds people to a private channel. Its messages so far count as read for them. Existing members stay even if they lose
 * the role that made them members, except `by`, who could otherwise keep what a role gave them.
 * @throws ChatError not_found if one of them is not in the server, conflict if they are too many
 */
export async function addToChannel(
  work: RoomTransaction,
  channel: PrivateChannel,
  userIds: string[],
  by: string,
): Promise<void> {
  const others = userIds.filter((userId) => userId !== by);
  if (channel.viewerRoleIds)
    await keepWithoutRole(work.db, { serverId: channel.serverId, channelId: channel.id }, others);
  const newcomers = userIds.filter((userId) => !channel.memberIds.includes(userId));
  if (newcomers.length === 0) return;
  await requireMembersFit(work.db, channel.serverId, [...channel.memberIds, ...newcomers]);
  await addPrivateMembers(work, channel, newcomers);
}

async function requireMembersFit(db: Db, serverId: string, userIds: string[]): Promise<void> {
  requireRoom(userIds);
  if ((await membersAmong(db, serverId, userIds)).length < userIds.length) throw notFound();
}

/** @throws ChatError conflict if these members are too many for a private channel */
export function requireRoom(userIds: string[]): void {
  if (userIds.length > quotas.channelMembers)
    throw conflict(`A private channel can have ${quotas.channelMembers} members.`);
}

async function addPrivateMembers(
  work: RoomTransaction,
  channel: PrivateChannel,
  newcomers: string[],
): Promise<void> {
  await insertPrivateMembers(work.db, channel, newcomers);
  await admitAsRead(
    work,
    newcomers.map((userId) => ({ timelineId: channel.id, userId })),
  );
  await changePrivateChannel(work, channel.id, newcomers);
}

export async function removeFromChannel(
  work: RoomTransaction,
  { id, serverId }: PrivateChannel,
  userId: string,
  as: 'left' | 'removed',
): Promise<void> {
  await deletePrivateMembers(work.db, id, userId);
  publishGone(work, [id], userId, as);
  await changePrivateChannels(work, await store.findPrivateChannelsById(work.db, [id]));
  work.revoke({ room: serverRoom(serverId), userId, rooms: [timelineRoom(id)] });
}

/** People who leave a server leave its private channels. Rejoining the server does not restore them. */
export const privateEnding: Ending = {
  membership: {
    async rooms(db, { serverId, userIds }) {
      return (await store.findPrivateMembersBeside(db, serverId, userIds)).map(userRoom);
    },
    async end(work, { serverId, userIds, as }) {
      if (as === 'deleted') return endPrivateChannels(work, serverId, userIds);
      const gone = await store.deleteMemberships(work.db, serverId, userIds);
      for (const { userId, channelIds } of gone) publishGone(work, channelIds, userId, as);
      const left = new Set(gone.flatMap(({ channelIds }) => channelIds));
      await changePrivateChannels(work, await store.findPrivateChannelsById(work.db, [...left]));
    },
  },
};

/** Notifies a person that they are no longer in these private channels. */
export function publishGone(
  work: RoomTransaction,
  channelIds: string[],
  userId: string,
  as: 'left' | 'removed',
): void {
  const room = userRoom(userId);
  for (const channelId of channelIds)
    work.change(room, { type: `privateChannel:${as}`, version: work.nextVersion(room), channelId });
}

/** The first members of a private channel: `chosen` people, and the `holders` of the roles that open it. */
export interface FirstMembers {
  chosen: string[];
  holders: string[];
  roleIds: string[];
}

/** Adds the first members of a private channel, which has no other roles yet. Returns their ids. */
export async function fillPrivate(
  work: RoomTransaction,
  channel: Pick<Channel, 'id' | 'serverId'>,
  { chosen, holders, roleIds }: FirstMembers,
): Promise<string[]> {
  const userIds = [...new Set([...chosen, ...holders])];
  await requireMembersFit(work.db, channel.serverId, userIds);
  if (roleIds.length > 0)
    await store.updateChannel(work.db, channel.id, { viewerRoleIds: orNull(roleIds) });
  await insertPrivateMembers(work.db, channel, chosen);
  if (holders.length > 0) await insertViewers(work.db, [channel.id], holders);
  await changePrivateChannel(work, channel.id, userIds);
  return userIds;
}

/** Makes a channel private, at its `position`. Everyone except its first members loses access with the commit. */
export async function makePrivate(
  work: RoomTransaction,
  channel: PublicChannel,
  members: FirstMembers,
): Promise<void> {
  const { id: channelId, serverId, position } = channel;
  const room = serverRoom(serverId);
  await store.updateChannel(work.db, channelId, { private: true, position });
  const stay = await fillPrivate(work, channel, members);
  work.change(room, { type: 'channel:closed', version: work.nextVersion(room), channelId });
  work.revoke({ room: serverRoom(serverId), rooms: [timelineRoom(channelId)], keepUserIds: stay });
}

/** Makes a private channel public, at its `position`. For people who were not members, its messages count as read. */
export async function makePublic(
  work: RoomTransaction,
  { id, serverId, memberIds, position }: PrivateChannel,
): Promise<void> {
  const room = serverRoom(serverId);
  const version = work.nextVersion(room);
  await markReadByAll(work.db, { serverId, timelineId: id, except: memberIds });
  await deletePrivateMembers(work.db, id);
  await store.updateChannel(work.db, id, {
    private: false,
    position,
    version,
    viewerRoleIds: null,
  });
  const channel = await store.storedChannel(work.db, id, false);
  work.change(room, { type: 'channel:opened', version, channel });
  endForMembers(work, id, memberIds, 'opened');
}

/** Notifies members that a private channel is no longer theirs: it became public, or was deleted. */
export function endForMembers(
  work: RoomTransaction,
  channelId: string,
  memberIds: string[],
  as: 'opened' | 'deleted',
): void {
  for (const room of memberIds.map(userRoom))
    work.change(room, { type: `privateChannel:${as}`, version: work.nextVersion(room), channelId });
}

async function endPrivateChannels(
  work: RoomTransaction,
  serverId: string,
  userIds: string[],
): Promise<void> {
  for (const { channelId, userId } of await store.findInsideMany(work.db, serverId, userIds))
    endForMembers(work, channelId, [userId], 'deleted');
}

/** Adds a new owner to all private channels of the server, even to full ones. */
export async function addOwnerToPrivateChannels(
  work: RoomTransaction,
  serverId: string,
  userId: string,
): Promise<void> {
  await keepWithoutRole(work.db, { serverId }, [userId]);
  for (const channel of await store.findChannels(work.db, serverId))
    if (channel.private && !channel.memberIds.includes(userId))
      await addPrivateMembers(work, channel, [userId]);
}
