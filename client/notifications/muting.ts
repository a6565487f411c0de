/** Counts unread messages. A muted timeline counts only mentions, and nothing with the level “nothing”. */
import { channels } from '../channels/channels.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { notificationSettings } from './settings.svelte.ts';

/** `serverId` is undefined for a conversation. */
export const isTimelineMuted = (timelineId: string, serverId?: string): boolean =>
  notificationSettings.isMuted({ timelineId, serverId });

export const countedIn = (timelineId: string, serverId?: string): number =>
  isTimelineMuted(timelineId, serverId)
    ? mentionsIn(timelineId, serverId)
    : reads.unread(timelineId);

export const mentionsIn = (timelineId: string, serverId?: string): number =>
  notificationSettings.countsMentions({ timelineId, serverId }) ? reads.mentionsOf(timelineId) : 0;

/** The server of a channel: from its badge, or from the open server. */
export const serverOf = (channelId: string): string | undefined =>
  reads.of(channelId)?.serverId ??
  servers.mine.find(({ id }) => channels.get(id, channelId) !== undefined)?.id;
