import { v7 } from 'uuid';
import type { Channel } from '../../shared/channels.ts';
import type { Entry } from '../../shared/entry.ts';
import { conflict } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { serverRoom, timelineRoom } from '../../shared/rooms.ts';
import type { Caller } from '../command.ts';
import { commit, type Work } from '../commit.ts';
import { enter } from '../enter.ts';
import { act } from '../servers/access.ts';
import { channelFor, type ChannelAccess } from './access.ts';
import * as store from './store.ts';

/** Makes a channel, below the others. The same id again is the same channel. */
export async function createChannel(
  caller: Caller,
  { serverId, name, id = v7(), topic = '' }: Parsed<'channel:create'>,
): Promise<Channel> {
  const room = serverRoom(serverId);
  return act(caller, 'manage channels', { relyOn: serverId, rooms: [room] }, async (work) => {
    const channels = await store.findChannels(work.db, serverId);
    const stored = channels.find((channel) => channel.id === id && channel.name === name);
    if (stored !== undefined) return stored;
    if (channels.length >= limits.channelsPerServer)
      throw conflict(`A server can have ${limits.channelsPerServer} channels.`);
    await work.create(timelineRoom(id));
    const position = Math.max(0, ...channels.map((channel) => channel.position)) + 1;
    const version = work.next(room);
    const channel = await store.insertChannel(work.db, {
      id,
      serverId,
      name,
      topic,
      position,
      version,
    });
    work.tell(room, { type: 'channel:created', version, channel });
    return channel;
  });
}

/** Renames a channel or sets its topic; what is so already changes nothing. */
export async function updateChannel(
  caller: Caller,
  { channelId, name, topic }: Parsed<'channel:update'>,
): Promise<Channel> {
  return changeChannel(caller, channelId, 'relyOn', async (work, { channel, server }) => {
    const wanted = { name: name ?? channel.name, topic: topic ?? channel.topic };
    if (wanted.name === channel.name && wanted.topic === channel.topic) return channel;
    const room = serverRoom(server.id);
    const version = work.next(room);
    const updated = await store.updateChannel(work.db, channelId, { ...wanted, version });
    work.tell(room, { type: 'channel:updated', version, channel: updated });
    return updated;
  });
}

/** Ends a channel with its messages, and everyone is out of it. */
export async function deleteChannel(
  caller: Caller,
  { channelId }: Parsed<'channel:delete'>,
): Promise<Record<string, never>> {
  return changeChannel(caller, channelId, 'end', async (work, { server }) => {
    // Exclusive like the choice of another default, so what is read here stays true; the foreign key holds besides.
    if (server.defaultChannelId === channelId)
      throw conflict(
        'The default channel cannot be deleted: new members arrive here. Choose another default first.',
      );
    const room = serverRoom(server.id);
    const version = work.next(room);
    await store.deleteChannel(work.db, channelId);
    work.tell(room, { type: 'channel:deleted', version, channelId });
    work.moveOut({ serverId: server.id, rooms: [timelineRoom(channelId)] });
    return {};
  });
}

/** Does `work` on a channel under the locks of its server, as `act` does on a server. */
async function changeChannel<T>(
  caller: Caller,
  channelId: string,
  lock: 'relyOn' | 'end',
  work: (work: Work, access: ChannelAccess) => Promise<T>,
): Promise<T> {
  const { server } = await channelFor(caller.app.db, caller, channelId, 'manage channels');
  return commit(
    caller.app,
    { [lock]: [server.id], rooms: [serverRoom(server.id)] },
    async (under) => work(under, await channelFor(under.db, caller, channelId, 'manage channels')),
  );
}

/** Enters the timeline on the caller's socket. */
export function joinChannel(
  caller: Caller,
  { channelId, since }: Parsed<'channel:join'>,
): Promise<Entry<'timeline'>> {
  return enter(caller, timelineRoom(channelId), since);
}

/** Stops hearing the timeline on the caller's socket. */
export async function leaveChannel(
  caller: Caller,
  { channelId }: Parsed<'channel:leave'>,
): Promise<Record<string, never>> {
  await channelFor(caller.app.db, caller, channelId, 'see');
  await caller.socket?.leave(timelineRoom(channelId));
  return {};
}
