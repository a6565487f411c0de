/** The names of people and channels in a message, as this user sees them in a server or a conversation. */
import { channels } from '../channels/channels.svelte.ts';
import type { Names } from '../../shared/markdown/tree.ts';
import { members } from '../members/members.svelte.ts';

export const unknownChannel = 'unknown channel';

/** A mentioned channel that the user can see: one of the same server, or one of their private channels. */
export const channelNamed = (serverId: string | undefined, channelId: string) =>
  (serverId === undefined ? undefined : channels.get(serverId, channelId)) ??
  channels.getPrivate(channelId);

export const namesIn = (serverId: string | undefined): Names => ({
  person: (userId) => members.nameOf(serverId, userId),
  channel: (channelId) => channelNamed(serverId, channelId)?.name ?? unknownChannel,
});
