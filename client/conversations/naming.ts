import type { Conversation } from '../../shared/conversations.ts';
import { lookOf } from '../../shared/looks.ts';
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { direct, namesakes } from '../members/namesakes.svelte.ts';
import { groupByLook, handleOf } from '../people/looks.ts';
import { people } from '../people/people.svelte.ts';

const listed = new Intl.ListFormat('en', { type: 'conjunction' });
const maxNames = 3;

export const othersIn = ({ participantIds }: Conversation) =>
  participantIds.filter((id) => id !== account.id);

export const partnerIn = (conversation: Conversation): string | undefined =>
  conversation.kind === 'pair' ? othersIn(conversation)[0] : undefined;

/** The handle beside the name of a pair, if another known person has the same name. */
export function handleIn(conversation: Conversation): string | undefined {
  const partner = partnerIn(conversation);
  return partner === undefined ? undefined : namesakes.handle(direct, partner);
}

/** The names, with handles beside identical-looking ones. */
function apart(userIds: readonly string[]): string[] {
  const alike = groupByLook(userIds, (id) => lookOf(friendships.nameOf(id)));
  return userIds.map((id) => {
    const name = friendships.nameOf(id);
    const isAlone = alike.get(lookOf(name))?.length === 1;
    return isAlone ? name : `${name} (${handleOf(people.get(id))})`;
  });
}

export function nameOf(conversation: Conversation): string {
  if (conversation.name) return conversation.name;
  const others = othersIn(conversation);
  return others.length === 0 ? 'Only you' : namesOf(others);
}

export function namesOf(userIds: readonly string[]): string {
  const names = apart(userIds);
  if (names.length <= maxNames) return listed.format(names);
  const shown = names.slice(0, maxNames - 1);
  return listed.format([...shown, `${names.length - shown.length} others`]);
}
