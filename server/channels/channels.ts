/**
 * Adds and removes the members that custom roles bring to private channels, and serves other features that change
 * channels.
 */
import type { PrivateChannel } from '../../shared/channels.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { notifiedPerPoint, takeMore } from '../admission/points.ts';
import type { Caller } from '../caller.ts';
import type { Locks, RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { admitAsRead } from '../reads/reads.ts';
import { changePrivateChannels } from './private-changes.ts';
import { channelRooms, publishGone, requireRoom } from './private-channels.ts';
import { orNull } from './rules.ts';
import * as store from './store.ts';
import * as viewers from './viewer-store.ts';
import { pointsOfRenumbering } from './with-channel.ts';

export const channelIdsIn = async (db: Db, serverId: string): Promise<string[]> =>
  (await store.findChannels(db, serverId)).map(({ id }) => id);

/** Locks to renumber all channels of a server, so that nobody gains or loses sight of one. Charges the points. */
export async function locksOfRenumbering(caller: Caller, serverId: string): Promise<Locks> {
  await takeMore(caller, await pointsOfRenumbering(caller, serverId));
  return { exclusive: [serverId], rooms: (db) => channelRooms(db, serverId) };
}

interface RoleOf {
  serverId: string;
  roleId: string;
}

/**
 * Locks to give a role to `newcomers`, or to take it from anyone. Exclusive, because nothing may rely on a lost
 * permission after the answer, and so that the members of the channels that the role opens stay the same meanwhile.
 * Charges points for these members.
 */
export async function locksOfHolders(
  caller: Caller,
  { serverId, roleId }: RoleOf,
  newcomers: string[] = [],
): Promise<Locks> {
  const opened = await viewers.findOpened(caller.db, serverId, roleId);
  const notified = opened.reduce((sum, { members }) => sum + members, 0);
  await takeMore(caller, Math.floor(notified / notifiedPerPoint));
  const rooms = async (db: Db) => {
    const channelIds = idsOf(await viewers.findOpened(db, serverId, roleId));
    return channelIds.length > 0
      ? channelRooms(db, serverId, newcomers, channelIds)
      : [serverRoom(serverId)];
  };
  return { exclusive: [serverId], rooms };
}

/** Replaces the roles that open a channel. The rooms of all `holders` must be locked. */
export async function setViewerRoles(
  work: RoomTransaction,
  channel: PrivateChannel,
  { roleIds, holders }: { roleIds: string[]; holders: string[] },
): Promise<void> {
  const { id, serverId, viewerRoleIds = [] } = channel;
  const wanted = orNull(roleIds);
  if ((wanted ?? []).join() === viewerRoleIds.join()) return;
  await store.updateChannel(work.db, id, { viewerRoleIds: wanted });
  const gained = await viewers.insertViewers(work.db, [id], holders);
  const gone = await viewers.deleteFormerViewers(work.db, [id]);
  await publishViewers(work, serverId, { gained, gone, changed: [id] });
}

/** Adds a new holder to the channels that the role opens. `locksOfHolders` must be held, here and below. */
export async function addViewer(
  work: RoomTransaction,
  { serverId, roleId }: RoleOf,
  userId: string,
): Promise<void> {
  const opened = await viewers.findOpened(work.db, serverId, roleId);
  if (opened.length === 0) return;
  const gained = await viewers.insertViewers(work.db, idsOf(opened), [userId]);
  await publishViewers(work, serverId, { gained });
}

/** Removes a former holder from the channels that the role opens, unless they are a member for another reason. */
export async function removeViewer(
  work: RoomTransaction,
  { serverId, roleId }: RoleOf,
  userId: string,
): Promise<void> {
  const opened = await viewers.findOpened(work.db, serverId, roleId);
  if (opened.length === 0) return;
  const gone = await viewers.deleteFormerViewers(work.db, idsOf(opened), userId);
  await publishViewers(work, serverId, { gone });
}

/** Closes the channels to a role that nobody has anymore. */
export async function endViewerRole(
  work: RoomTransaction,
  { serverId, roleId }: RoleOf,
): Promise<void> {
  const changed = await viewers.takeFromChannels(work.db, serverId, roleId);
  if (changed.length === 0) return;
  const gone = await viewers.deleteFormerViewers(work.db, changed);
  await publishViewers(work, serverId, { gone, changed });
}

const idsOf = (channels: { id: string }[]) => channels.map(({ id }) => id);

/** @throws ChatError conflict if a channel has too many members now */
async function publishViewers(
  work: RoomTransaction,
  serverId: string,
  {
    gained = [],
    gone = [],
    changed = [],
  }: { gained?: viewers.Inside[]; gone?: viewers.Inside[]; changed?: string[] },
): Promise<void> {
  const ids = new Set([...[...gained, ...gone].map(({ channelId }) => channelId), ...changed]);
  const channels = await store.findPrivateChannelsById(work.db, [...ids]);
  const grown = new Set(gained.map(({ channelId }) => channelId));
  for (const { id, memberIds } of channels) if (grown.has(id)) requireRoom(memberIds);
  await admitAsRead(
    work,
    gained.map(({ channelId, userId }) => ({ timelineId: channelId, userId })),
  );
  const leavers = new Map<string, string[]>();
  for (const { userId, channelId } of gone) {
    const left = leavers.get(userId) ?? [];
    left.push(channelId);
    leavers.set(userId, left);
  }
  for (const [userId, channelIds] of leavers) publishGone(work, channelIds, userId, 'removed');
  await changePrivateChannels(work, channels, [...new Set(gained.map(({ userId }) => userId))]);
  for (const [userId, channelIds] of leavers)
    work.revoke({ room: serverRoom(serverId), userId, rooms: channelIds.map(timelineRoom) });
}
