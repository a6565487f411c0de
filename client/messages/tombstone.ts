/** The text in place of a message that another user than its author deleted. */
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import type { MessageItem } from './lines.ts';

export function tombstone(
  serverId: string | undefined,
  { authorId, message }: MessageItem,
): string {
  const by = message?.deletedBy ?? authorId;
  return by === account.id
    ? 'You deleted this message'
    : `Deleted by ${members.nameOf(serverId, by)}`;
}
