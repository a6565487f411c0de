import { v7 } from 'uuid';
import type { Channel, PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import type { Entry } from '../../shared/entry.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import { recordAudit } from '../audit/audit.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { subscribe, unsubscribe } from '../realtime/subscribe.ts';
import { holdersOf } from '../members/access.ts';
import { actInServer, requirePermission } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { channelFor, serversOfChannels } from './access.ts';
import { setViewerRoles } from './channels.ts';
import { orNull, permissionToChange, recordRules, requirePrivate, requireRoles } from './rules.ts';
import { changeChannel } from './with-channel.ts';
import { closeRanks, endOfCategory, placeChannel, positionFor, writeChannel } from './positions.ts';
import * as privates from './private-channels.ts';
import * as store from './store.ts';

/** Called again with the same id and name, it returns the same channel. */
export async function createChannel(
  caller: Caller,
  {
    serverId,
    name,
    id = v7(),
    topic = '',
    categoryId = null,
    announcements = false,
    viewerRoleIds,
    ...privacy
  }: Parsed<'channel:create'>,
): Promise<Channel> {
  const room = serverRoom(serverId);
  const chosen = (db: Db) => chosenFor(db, caller, serverId, privacy);
  const holdersIn = (db: Db) => holdersOf(db, serverId, viewerRoleIds ?? []);
  const isPrivate = privacy.private === true;
  // A private channel can move others. Exclusive, so that nobody gains or loses sight of those meanwhile.
  const locks = isPrivate
    ? {
        exclusive: serverId,
        rooms: async (db: Db) =>
          privates.channelRooms(db, serverId, [...(await chosen(db)), ...(await holdersIn(db))]),
      }
    : { shared: serverId, rooms: [room] };
  const permission = permissionToChange({ viewerRoleIds });
  return actInServer(caller, permission, locks, async (work) => {
    const channels = await store.findChannels(work.db, serverId);
    const stored = channels.find((channel) => channel.id === id && channel.name === name);
    if (stored !== undefined) return asSeen(work, caller, id);
    if (channels.length >= quotas.channelsPerServer)
      throw conflict(`A server can have ${quotas.channelsPerServer} channels.`);
    requirePrivate(isPrivate, viewerRoleIds);
    await requireRoles(work.db, { serverId }, { viewerRoleIds });
    const place = { id, serverId, categoryId, position: Infinity, private: isPrivate };
    await work.create(timelineRoom(id));
    const position = await endOfCategory(work, place);
    const made = { id, serverId, name, topic, categoryId, position, announcements, slowSeconds: 0 };
    if (isPrivate) {
      await store.insertChannel(work.db, { ...made, private: true, version: 0 });
      const people = { chosen: await chosen(work.db), holders: await holdersIn(work.db) };
      await privates.fillPrivate(work, place, { ...people, roleIds: viewerRoleIds ?? [] });
      return asSeen(work, caller, id);
    }
    const version = work.nextVersion(room);
    await store.insertChannel(work.db, { ...made, private: false, version });
    const channel = await store.storedChannel(work.db, id, false);
    work.change(room, { type: 'channel:created', version, channel });
    return channel;
  });
}

export async function updateChannel(
  caller: Caller,
  {
    channelId,
    name,
    topic,
    categoryId,
    position,
    announcements,
    slowSeconds,
    senderRoleIds,
    callerRoleIds,
    viewerRoleIds,
    ...privacy
  }: Parsed<'channel:update'>,
): Promise<Channel> {
  const isMove = categoryId !== undefined || position !== undefined;
  const rules = { announcements, slowSeconds, senderRoleIds, callerRoleIds };
  const isRule = Object.values({ ...rules, viewerRoleIds }).some((rule) => rule !== undefined);
  // Exclusive if other channels move, so that nobody's access to them changes meanwhile; and for rules, so that no message
  // is stored by the former ones after the answer.
  const isExclusive = isMove || privacy.private !== undefined || isRule;
  const lock = isExclusive ? 'exclusive' : 'shared';
  const renumbers = ({ private: was }: Channel) => isMove || (privacy.private ?? was) !== was;
  const chosenIn = (db: Db, serverId: string) => chosenFor(db, caller, serverId, privacy);
  const holdersIn = (db: Db, serverId: string) => holdersOf(db, serverId, viewerRoleIds ?? []);
  const newcomers = async (db: Db, serverId: string) => [
    ...(await chosenIn(db, serverId)),
    ...(await holdersIn(db, serverId)),
  ];
  const opens = privacy.private === false;
  const permission = permissionToChange({ ...rules, viewerRoleIds });
  const change = { permission, lock, newcomers, opens, renumbers } as const;
  return changeChannel(caller, channelId, change, async (work, { channel, server, rights }) => {
    // Making a channel private takes it from everyone, including other moderators.
    if (privacy.private === true && !channel.private) requirePermission(rights, 'manage server');
    if (privacy.private === true && server.defaultChannelId === channelId)
      throw conflict(
        'New members start here, so the default channel can’t be private. Choose another default first.',
      );
    requirePrivate(privacy.private ?? channel.private, viewerRoleIds);
    await requireRoles(work.db, channel, { ...rules, viewerRoleIds });
    const chosen = await chosenIn(work.db, channel.serverId);
    const holders = await holdersIn(work.db, channel.serverId);
    // Made private first, and public last, so that only people who can see it receive its new name.
    if (channel.private) {
      await privates.addToChannel(work, channel, chosen, caller.user.id);
      // `makePublic` removes all roles.
      if (viewerRoleIds && privacy.private !== false)
        await setViewerRoles(work, channel, { roleIds: viewerRoleIds, holders });
    } else if (privacy.private === true)
      await conceal(work, channel, { chosen, holders, roleIds: viewerRoleIds ?? [] });
    await describe(work, await asSeen(work, caller, channelId), {
      name,
      topic,
      categoryId,
      position,
      ...rules,
    });
    if (channel.private && privacy.private === false)
      await reveal(work, await store.storedChannel(work.db, channelId, true));
    await recordRules(work, caller, channel, {
      private: privacy.private,
      ...rules,
      viewerRoleIds,
    });
    return asSeen(work, caller, channelId);
  });
}

async function conceal(
  work: RoomTransaction,
  channel: PublicChannel,
  members: privates.FirstMembers,
): Promise<void> {
  const { position, numberOthers } = await placeChannel(work, channel, true);
  await privates.makePrivate(work, { ...channel, position }, members);
  // Afterwards, so that the members receive the private channel first.
  await numberOthers();
}

async function reveal(work: RoomTransaction, channel: PrivateChannel): Promise<void> {
  const { position, numberOthers } = await placeChannel(work, channel, false);
  await privates.makePublic(work, { ...channel, position });
  await numberOthers();
}

async function chosenFor(
  db: Db,
  { user }: Caller,
  serverId: string,
  {
    private: isPrivate = false,
    userIds = [],
  }: Pick<Parsed<'channel:update'>, 'private' | 'userIds'>,
): Promise<string[]> {
  return isPrivate ? privates.withOwner(db, serverId, [user.id, ...userIds]) : [];
}

async function describe(
  work: RoomTransaction,
  channel: Channel,
  {
    name = channel.name,
    topic = channel.topic,
    announcements = channel.announcements === true,
    slowSeconds = channel.slowSeconds ?? 0,
    senderRoleIds = channel.senderRoleIds ?? [],
    callerRoleIds = channel.callerRoleIds ?? [],
    ...to
  }: Omit<Parsed<'channel:update'>, 'channelId'>,
): Promise<void> {
  const place = await positionFor(work, channel, to);
  const roles = { senderRoleIds: orNull(senderRoleIds), callerRoleIds: orNull(callerRoleIds) };
  const now = { name, topic, announcements, slowSeconds, ...roles, ...place };
  const none = { announcements: false, slowSeconds: 0, senderRoleIds: null, callerRoleIds: null };
  const was = { ...none, ...channel };
  const isSo = (Object.keys(now) as (keyof typeof now)[]).every(
    (key) => JSON.stringify(now[key]) === JSON.stringify(was[key]),
  );
  if (!isSo) await writeChannel(work, channel, now);
}

const asSeen = async (
  { db }: RoomTransaction,
  caller: Caller,
  channelId: string,
): Promise<Channel> => (await channelFor(db, caller, channelId, 'see')).channel;

export async function deleteChannel(
  caller: Caller,
  { channelId }: Parsed<'channel:delete'>,
): Promise<Record<string, never>> {
  const change = {
    permission: 'manage channels',
    lock: 'exclusive',
    renumbers: () => true,
  } as const;
  return changeChannel(caller, channelId, change, async (work, { channel, server }) => {
    // Choosing a default channel takes the exclusive lock too, so this stays true. A foreign key also ensures it.
    if (server.defaultChannelId === channelId)
      throw conflict(
        'New members start here. The default channel can’t be deleted. Choose another default first.',
      );
    const room = serverRoom(server.id);
    if (channel.private) privates.endForMembers(work, channelId, channel.memberIds, 'deleted');
    else work.change(room, { type: 'channel:deleted', version: work.nextVersion(room), channelId });
    await store.deleteChannel(work.db, channelId);
    await closeRanks(work, channel);
    const rooms = [timelineRoom(channelId)];
    work.revoke({ room, rooms, silent: channel.private });
    const deed = { action: 'channel:deleted', serverId: server.id, subjectId: channelId } as const;
    await recordAudit(work.db, caller, { ...deed, detail: channel.name });
    return {};
  });
}

export const joinChannel = (
  caller: Caller,
  { channelId, since }: Parsed<'channel:join'>,
): Promise<Entry<'timeline'>> =>
  subscribe(caller, timelineRoom(channelId), { since }, async () => {
    if (!(await serversOfChannels(caller.db, [channelId])).has(channelId)) throw notFound();
  });

export async function leaveChannel(
  caller: Caller,
  { channelId }: Parsed<'channel:leave'>,
): Promise<Record<string, never>> {
  await unsubscribe(caller, timelineRoom(channelId), () =>
    channelFor(caller.db, caller, channelId, 'see'),
  );
  return {};
}
