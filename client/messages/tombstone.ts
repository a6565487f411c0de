/** What stands in place of a message that was deleted: for its author, and where somebody who keeps order deleted it. */
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import type { MessageItem } from './lines.ts';

export function tombstone(
  serverId: string | undefined,
  { authorId, message }: MessageItem,
): string {
  const by = message?.deletedBy;
  if ((by ?? authorId) === account.id) return 'You deleted this message';
  return by === undefined ? 'Message deleted' : `Deleted by ${members.nameOf(serverId, by)}`;
}
