import { members } from '../members/members.svelte.ts';
import { channels } from './channels.svelte.ts';

/** True in conversations, and in channels that let the user send messages. */
export function canPost(serverId: string | undefined, timelineId: string): boolean {
  if (serverId === undefined) return true;
  const channel = channels.get(serverId, timelineId);
  // Before the role is known, only announcements hide the composer.
  if (members.myRole(serverId) === undefined) return !channel?.announcements;
  return members.canI(serverId, 'send', channel);
}
