/** The text in place of one or more messages that another user than the author deleted. */
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import type { MessageItem } from './lines.ts';

export function tombstone(
  serverId: string | undefined,
  { authorId, message, deletedCount }: MessageItem,
): string {
  const by = message?.deletedBy ?? authorId;
  const name = members.nameOf(serverId, by);
  if (deletedCount === undefined)
    return by === account.id ? 'You deleted this message' : `Deleted by ${name}`;
  const messages = `${deletedCount.toLocaleString()} messages`;
  return by === account.id ? `You deleted ${messages}` : `${messages} deleted by ${name}`;
}
