/** Finding people of a server by what they are called there. */
import type { Member } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { fold } from '../ui/fold.ts';
import { members } from './members.svelte.ts';

export type NamedPerson = Member & { name: string };

/** Everyone in a server, or those of these who are, by name. */
export const named = (
  serverId: string,
  who: readonly Member[] = members.of(serverId),
): NamedPerson[] =>
  who
    .map((member) => ({ ...member, name: members.nameOf(serverId, member.userId) }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));

/** Also by their username, and by the name of their own that a nickname hides. */
export function matching(everyone: readonly NamedPerson[], sought: string): NamedPerson[] {
  const wanted = fold(sought.trim().replace(/^@/, ''));
  if (wanted === '') return [...everyone];
  return everyone.filter(({ userId, name }) => {
    const { name: own, username = '' } = people.get(userId);
    return [name, own, username].some((called) => fold(called).includes(wanted));
  });
}

/** Those who see a private channel whoever is chosen: its maker, and the owner. */
export const sureInsiders = (serverId: string): string[] => [
  account.id,
  ...members
    .of(serverId)
    .filter(({ role }) => role === 'owner')
    .map(({ userId }) => userId),
];
