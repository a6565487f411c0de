/** What people and channels are called that a message names, for me, in a server or out of one. */
import { channels } from '../channels/channels.svelte.ts';
import type { Names } from '../markdown/tree.ts';
import { members } from '../members/members.svelte.ts';

/** Of a channel that I may not see, or that is no more, nothing is known. */
export const unknownChannel = 'unknown channel';

/** A channel that a message names, if I may see it: of the same server, or a private one of mine. */
export const channelNamed = (serverId: string | undefined, channelId: string) =>
  (serverId === undefined ? undefined : channels.get(serverId, channelId)) ??
  channels.getPrivate(channelId);

export const namesIn = (serverId: string | undefined): Names => ({
  person: (userId) => members.nameOf(serverId, userId),
  channel: (channelId) => channelNamed(serverId, channelId)?.name ?? unknownChannel,
});
