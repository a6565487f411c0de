import { members } from '../members/members.svelte.ts';
import { channels } from './channels.svelte.ts';

/** True in conversations, and in channels that let the user send messages. */
export function canPost(serverId: string | undefined, timelineId: string): boolean {
  const channel = serverId === undefined ? undefined : channels.get(serverId, timelineId);
  return !channel?.announcements || members.canI(serverId, 'send', channel);
}
