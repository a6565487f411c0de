/** What a conversation is called. */
import type { Conversation } from '../../shared/conversations.ts';
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';

const listed = new Intl.ListFormat('en', { type: 'conjunction' });
/** More names than this are counted. */
const mostNames = 3;

export const othersIn = ({ participantIds }: Conversation) =>
  participantIds.filter((id) => id !== account.id);

/** The one whom a conversation of two is with. */
export const partnerIn = (conversation: Conversation): string | undefined =>
  conversation.kind === 'pair' ? othersIn(conversation)[0] : undefined;

/** A group’s own name, or the names of the others in it. */
export function nameOf(conversation: Conversation): string {
  if (conversation.name) return conversation.name;
  const names = othersIn(conversation).map((id) => friendships.nameOf(id));
  if (names.length === 0) return 'Only you';
  if (names.length <= mostNames) return listed.format(names);
  const shown = names.slice(0, mostNames - 1);
  return listed.format([...shown, `${names.length - shown.length} others`]);
}
