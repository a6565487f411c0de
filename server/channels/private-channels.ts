/**
 * Private channels. Exactly their members see them, so they are told in their members' own rooms; and the
 * server's owner is always one of them.
 */
import type { PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { serverRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { ownerOf, rolesIn } from '../members/access.ts';
import { markReadByAll, markReadByMany } from '../reads/reads.ts';
import * as store from './store.ts';

/** The rooms that hear of a server's channels, and of who comes into private ones. To be asked under its lock. */
export async function channelRooms(
  db: Db,
  serverId: string,
  newcomers: string[] = [],
): Promise<Room[]> {
  const insiders = await store.findAllInsiders(db, serverId);
  return [serverRoom(serverId), ...new Set([...insiders, ...newcomers].map(userRoom))];
}

/** The rooms that hear of it when some people leave a server: those of whom they share private channels with. */
export async function leavingPrivatesRooms(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<Room[]> {
  const insiders = await store.findInsidersBeside(db, serverId, userIds);
  return [serverRoom(serverId), ...new Set([...insiders, ...userIds].map(userRoom))];
}

/** Those who are chosen for a private channel, and the owner. */
export async function withOwner(db: Db, serverId: string, userIds: string[]): Promise<string[]> {
  const ownerId = await ownerOf(db, serverId);
  return [...new Set(ownerId === undefined ? userIds : [ownerId, ...userIds])];
}

/**
 * Lets people into a private channel, who begin to read where it is now. Who is in already stays.
 * @throws ChatError not_found if one of them is not in the server, conflict if they are too many
 */
export async function addToChannel(
  work: RoomTransaction,
  channel: PrivateChannel,
  userIds: string[],
): Promise<void> {
  const newcomers = userIds.filter((userId) => !channel.memberIds.includes(userId));
  if (newcomers.length === 0) return;
  await mustFit(work.db, channel.serverId, [...channel.memberIds, ...newcomers]);
  await admitTo(work, channel, newcomers);
}

async function mustFit(db: Db, serverId: string, userIds: string[]): Promise<void> {
  if (userIds.length > limits.channelMembers)
    throw conflict(`A private channel can have ${limits.channelMembers} members.`);
  const roleIn = await rolesIn(
    db,
    userIds.map((userId) => ({ userId, serverId })),
  );
  if (userIds.some((userId) => roleIn(userId, serverId) === undefined)) throw notFound();
}

async function admitTo(
  work: RoomTransaction,
  channel: PrivateChannel,
  newcomers: string[],
): Promise<void> {
  await store.insertInsiders(work.db, channel, newcomers);
  for (const { userId, position } of await markReadByMany(work.db, newcomers, channel.id))
    work.grant({ userId, read: { [channel.id]: position } });
  await tellInsiders(work, channel.id, newcomers);
}

/** Takes somebody out of a private channel: out of its room too, on all devices. */
export async function removeFromChannel(
  work: RoomTransaction,
  { id, serverId }: PrivateChannel,
  userId: string,
  as: 'left' | 'removed',
): Promise<void> {
  await drop(work, id, userId, as);
  work.revoke({ room: serverRoom(serverId), userId, rooms: [timelineRoom(id)] });
}

/** Who leaves a server leaves its private channels, and coming back does not restore it. */
export async function leavePrivates(
  work: RoomTransaction,
  { serverId, userId, as }: { serverId: string; userId: string; as: 'left' | 'removed' },
): Promise<void> {
  for (const channelId of await store.findInside(work.db, serverId, userId))
    await drop(work, channelId, userId, as);
}

async function drop(
  work: RoomTransaction,
  channelId: string,
  userId: string,
  as: 'left' | 'removed',
) {
  const room = userRoom(userId);
  await store.deleteInsiders(work.db, channelId, userId);
  work.change(room, { type: `privateChannel:${as}`, version: work.nextVersion(room), channelId });
  await tellInsiders(work, channelId);
}

/** Makes a channel private, at its `position`. Everybody but those who stay is out of it at once. */
export async function makePrivate(
  work: RoomTransaction,
  channel: PublicChannel,
  stay: string[],
): Promise<void> {
  const { id: channelId, serverId, position } = channel;
  const room = serverRoom(serverId);
  await mustFit(work.db, serverId, stay);
  await store.updateChannel(work.db, channelId, { private: true, position });
  await store.insertInsiders(work.db, channel, stay);
  await tellInsiders(work, channelId, stay);
  work.change(room, { type: 'channel:closed', version: work.nextVersion(room), channelId });
  work.revoke({ room: serverRoom(serverId), rooms: [timelineRoom(channelId)], keepUserIds: stay });
}

/** Makes a private channel public, at its `position`. Those to whom it is new begin to read where it is now. */
export async function makePublic(
  work: RoomTransaction,
  { id, serverId, memberIds, position }: PrivateChannel,
): Promise<void> {
  const room = serverRoom(serverId);
  const version = work.nextVersion(room);
  await markReadByAll(work.db, { serverId, timelineId: id, except: memberIds });
  await store.deleteInsiders(work.db, id);
  await store.updateChannel(work.db, id, { private: false, position, version });
  const channel = await store.storedChannel(work.db, id, false);
  work.change(room, { type: 'channel:opened', version, channel });
  endForMembers(work, id, memberIds, 'opened');
}

/** Says to those in a private channel that it is none any more. */
export function endForMembers(
  work: RoomTransaction,
  channelId: string,
  memberIds: string[],
  as: 'opened' | 'deleted',
): void {
  for (const room of memberIds.map(userRoom))
    work.change(room, { type: `privateChannel:${as}`, version: work.nextVersion(room), channelId });
}

/** Says to these people that the private channels of a server that ends are no more. */
export async function tellEndOfPrivates(
  work: RoomTransaction,
  serverId: string,
  userIds: string[],
): Promise<void> {
  for (const { channelId, userId } of await store.findInsideMany(work.db, serverId, userIds))
    endForMembers(work, channelId, [userId], 'deleted');
}

/** Lets a new owner into all private channels of the server, full or not. */
export async function letOwnerIn(
  work: RoomTransaction,
  serverId: string,
  userId: string,
): Promise<void> {
  for (const channel of await store.findChannels(work.db, serverId))
    if (channel.private && !channel.memberIds.includes(userId))
      await admitTo(work, channel, [userId]);
}

/**
 * With a change of a private channel of so many come all who are in it, with one of a larger one only who is new to it:
 * everybody to everybody else would be dozens of megabytes.
 */
const mostExplained = 50;

/** Tells everyone in a private channel how it is now, each in their own room, and who is in it. */
export async function tellInsiders(
  work: RoomTransaction,
  channelId: string,
  newcomers: string[] = [],
): Promise<void> {
  await tellManyInsiders(work, [await store.storedChannel(work.db, channelId, true)], newcomers);
}

/** The same of many private channels, by one statement. */
export async function tellManyInsiders(
  work: RoomTransaction,
  channels: PrivateChannel[],
  newcomers: string[] = [],
): Promise<void> {
  const isNew = new Set(newcomers);
  const told: store.RoomToTell[] = [];
  for (const channel of channels) {
    const explained = channel.memberIds.length > mostExplained ? newcomers : channel.memberIds;
    for (const userId of channel.memberIds) {
      const room = userRoom(userId);
      const version = work.nextVersion(room);
      told.push({ channelId: channel.id, userId, version });
      const row = { ...channel, version };
      if (isNew.has(userId))
        work.change(room, { type: 'privateChannel:joined', version, channel: row });
      else work.change(room, { type: 'privateChannel:updated', version, channel: row }, explained);
    }
  }
  await store.updateUserVersions(work.db, told);
}
