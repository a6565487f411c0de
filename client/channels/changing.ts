/** Changes to channels, apart from their rows, because only dialogs need them. */
import type { Channel } from '../../shared/channels.ts';
import type { Input } from '../../shared/protocol.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { channels } from './channels.svelte.ts';

/** Private for the given people; without any, public in the server. */
export async function createChannel(
  serverId: string,
  { topic, ...what }: Omit<Input<'channel:create'>, 'serverId' | 'id'>,
): Promise<Channel> {
  const wanted = { serverId, id: newId(), ...what, ...(topic && { topic }) };
  return channels.take((await send('channel:create', wanted)).channel);
}

/** Makes it private for the given people and roles; if it is private already, adds the people and replaces the roles. */
export async function makePrivate(
  { id }: Channel,
  access: Pick<Input<'channel:update'>, 'userIds' | 'viewerRoleIds'>,
): Promise<void> {
  const wanted = { channelId: id, private: true, ...access };
  channels.take((await send('channel:update', wanted)).channel);
}

export async function makePublic({ id }: Channel): Promise<void> {
  channels.take((await send('channel:update', { channelId: id, private: false })).channel);
}

export async function removeMember({ id }: Channel, userId: string): Promise<void> {
  await send('channel:removeMember', { channelId: id, userId });
}

export async function deleteChannel({ id }: Channel): Promise<void> {
  await send('channel:delete', { channelId: id });
}
