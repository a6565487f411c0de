import { isDeepStrictEqual } from 'node:util';
import { v7 } from 'uuid';
import type { Entry } from '../../shared/entry.ts';
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom, userRoom } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { instanceRightsOf } from '../administration/access.ts';
import { recordAudit } from '../audit/audit.ts';
import { channelFor, channelsIn } from '../channels/access.ts';
import { channelIdsIn } from '../channels/channels.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { endingsOn, type Ending } from '../endings.ts';
import { replacePicture } from '../files/files.ts';
import { locksByInvite, useInvite } from '../invites/invites.ts';
import { subscribe } from '../realtime/subscribe.ts';
import { memberOf, membershipsOf } from '../members/access.ts';
import { listRooms, updateMemberLists } from '../members/lists.ts';
import { addMember, endMembership, roomsToNotify } from '../members/members.ts';
import type { Caller, Context } from '../caller.ts';
import { actInServer } from './access.ts';
import { serversOf } from './slices.ts';
import * as store from './store.ts';

/**
 * Creates a server with one channel, owned by the caller. Returns the existing one for the same id.
 * @throws ChatError forbidden, for guests and if only administrators can create servers
 */
export async function createServer(
  caller: Caller,
  { name, id = v7() }: Parsed<'server:create'>,
): Promise<Server> {
  const { user } = caller;
  if (user.kind === 'guest')
    throw forbidden('Guests can’t create servers. Create an account first.');
  return commit(caller, { rooms: [userRoom(user.id)] }, async (work) => {
    const mine = await memberOf(work.db, id, user.id);
    if (mine?.role !== 'owner') {
      if (!(await instanceRightsOf(work.db, caller.node, user)).canCreateServers)
        throw forbidden('Only administrators of this Parley can create servers.');
      await foundServer(work, { id, name });
    }
    return addMember(work, { serverId: id, userId: user.id, role: 'owner' });
  });
}

/** Creates a server with a channel, and no members. */
export async function foundServer(
  work: RoomTransaction,
  {
    id,
    name,
    messageRequests = false,
  }: Pick<Server, 'id' | 'name'> & { messageRequests?: boolean },
): Promise<void> {
  const room = serverRoom(id);
  const channelId = v7();
  await work.create(room);
  await work.create(timelineRoom(channelId));
  const version = work.nextVersion(room);
  const general = { id: channelId, name: 'general', version: work.nextVersion(room) };
  await store.insertServer(work.db, { id, name, messageRequests, version }, general);
  // Nobody has subscribed yet, but a room's history must contain everything in it, from version 1 on.
  const server = await storedServer(work.db, id);
  work.change(room, { type: 'server:updated', version, server });
  for (const channel of await channelsIn(work.db, id))
    work.change(room, { type: 'channel:created', version: channel.version, channel });
}

export const listServers = ({ db, user }: Caller): Promise<Server[]> => serversOf(db, user.id);

export const openServer = (
  caller: Caller,
  { serverId, ...holding }: Parsed<'server:open'>,
): Promise<Entry<'server'>> => subscribe(caller, serverRoom(serverId), holding);

export async function updateServer(
  caller: Caller,
  { serverId, icon, ...input }: Parsed<'server:update'>,
): Promise<Server> {
  const room = serverRoom(serverId);
  // Exclusive, so that the members stay the same while their rooms are written.
  const locks = {
    exclusive: serverId,
    rooms: async (db: Db) => [room, ...(await listRooms(db, serverId))],
  };
  return actInServer(caller, 'manage server', locks, async (work, { server }) => {
    const now = settingsOf(server);
    const wanted = {
      name: input.name ?? now.name,
      defaultChannelId: input.defaultChannelId ?? now.defaultChannelId,
      iconId: icon === undefined ? now.iconId : icon,
      messageRequests: input.messageRequests ?? now.messageRequests,
      closedToGuests: input.closedToGuests ?? now.closedToGuests,
      approval: input.approval ?? now.approval,
      noPreviews: input.noPreviews ?? now.noPreviews,
    };
    if (isDeepStrictEqual(wanted, now)) return server;
    await requireCanBeDefault(work.db, caller, serverId, wanted.defaultChannelId);
    if (icon !== undefined) await giveIcon(work.db, caller, serverId, icon);
    const version = work.nextVersion(room);
    const updated = await store.updateServer(work.db, serverId, { ...wanted, version });
    work.change(room, { type: 'server:updated', version, server: updated });
    await updateMemberLists(work, updated);
    for (const [setting, on, off] of recorded)
      if (wanted[setting] !== now[setting]) {
        const action = wanted[setting] ? on : off;
        await recordAudit(work.db, caller, { action, serverId });
      }
    return updated;
  });
}

const settingsOf = (server: Server) => ({
  name: server.name,
  defaultChannelId: server.defaultChannelId,
  iconId: server.icon ?? null,
  messageRequests: server.messageRequests === true,
  closedToGuests: server.closedToGuests === true,
  approval: server.approval === true,
  noPreviews: server.noPreviews === true,
});

/** Settings that the audit log records, with the actions for on and off. */
const recorded = [
  ['messageRequests', 'server:requestsOn', 'server:requestsOff'],
  ['closedToGuests', 'server:closedToGuests', 'server:openedToGuests'],
  ['approval', 'server:approvalOn', 'server:approvalOff'],
  ['noPreviews', 'server:previewsOff', 'server:previewsOn'],
] as const;

async function giveIcon(
  db: Db,
  { user }: Caller,
  serverId: string,
  icon: string | null,
): Promise<void> {
  const picture = icon === null ? null : { id: icon, uploaderId: user.id };
  await replacePicture(db, { id: serverId, purpose: 'icon' }, picture);
}

async function requireCanBeDefault(
  db: Db,
  caller: Caller,
  serverId: string,
  channelId: string,
): Promise<void> {
  const { channel } = await channelFor(db, caller, channelId, 'see');
  if (channel.serverId !== serverId) throw notFound();
  if (channel.private)
    throw conflict('New members start in the default channel, so it can’t be private.');
}

export async function deleteServer(
  caller: Caller,
  { serverId }: Parsed<'server:delete'>,
): Promise<Record<string, never>> {
  const room = serverRoom(serverId);
  const endings = endingsOn(caller.node).flatMap(({ server }) => server ?? []);
  const rooms = async (db: Db) => {
    const others = await Promise.all(
      endings.map(async ({ rooms }) => (await rooms?.(db, serverId)) ?? []),
    );
    return [room, ...others.flat()];
  };
  const locks = { exclusive: serverId, rooms };
  return actInServer(caller, 'own', locks, async (work, { server: { name } }) => {
    for (const { end } of endings) await end(work, serverId);
    await store.deleteServer(work.db, serverId, await channelIdsIn(work.db, serverId));
    work.revoke({ room });
    await recordAudit(work.db, caller, { action: 'server:deleted', serverId, detail: name });
    return {};
  });
}

const joining = { asks: false };

export async function joinServer(caller: Caller, { code }: Parsed<'server:join'>): Promise<Server> {
  return commit(caller, await locksByInvite(caller, code, joining), async (work) => {
    const server = await useInvite(work, code, { ...caller, ...joining });
    if (server === undefined)
      throw forbidden('This server approves new members. Ask to join instead.');
    return server;
  });
}

export async function leaveServer(
  caller: Caller,
  { serverId }: Parsed<'server:leave'>,
): Promise<Record<string, never>> {
  const userId = caller.user.id;
  const locks = { exclusive: serverId, rooms: roomsToNotify(caller.node, serverId, userId) };
  return actInServer(caller, 'see', locks, async (work, { member }) => {
    if (member.role === 'owner')
      throw conflict('The owner can’t leave. Transfer ownership first, or delete the server.');
    await endMembership(work, { serverId, userId, as: 'left' });
    return {};
  });
}

export async function leaveEveryServer(context: Context, userId: string): Promise<void> {
  for (const serverId of (await membershipsOf(context.db, userId)).keys())
    await commit(
      context,
      { exclusive: [serverId], rooms: roomsToNotify(context.node, serverId, userId) },
      async (work) => {
        if ((await memberOf(work.db, serverId, userId)) === undefined) return;
        await endMembership(work, { serverId, userId, as: 'left' });
      },
    );
}

export const serverEnding: Ending = {
  account: (context, { id }) => leaveEveryServer(context, id),
};

async function storedServer(db: Db, id: string): Promise<Server> {
  const server = await store.findServer(db, id);
  if (server === undefined) throw new Error('a server was not stored');
  return server;
}
