import { channels } from '../channels/channels.svelte.ts';
import type { Names } from '../../shared/markdown/tree.ts';
import { members } from '../members/members.svelte.ts';

export const unknownChannel = 'unknown channel';

export const channelNamed = (serverId: string | undefined, channelId: string) =>
  (serverId === undefined ? undefined : channels.get(serverId, channelId)) ??
  channels.getPrivate(channelId);

export const namesIn = (serverId: string | undefined): Names => ({
  person: (userId) => members.nameOf(serverId, userId),
  channel: (channelId) => channelNamed(serverId, channelId)?.name ?? unknownChannel,
});
