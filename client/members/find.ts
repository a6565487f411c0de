import type { Member } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { foldAccents } from '../ui/fold-accents.ts';
import { members } from './members.svelte.ts';

export type NamedPerson = Member & { name: string };

export const withNames = (
  serverId: string,
  who: readonly Member[] = members.of(serverId),
): NamedPerson[] =>
  who
    .map((member) => ({ ...member, name: members.nameOf(serverId, member.userId) }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));

/** Also matches the username, and the own name of a person with a nickname. */
export function matching(everyone: readonly NamedPerson[], sought: string): NamedPerson[] {
  const wanted = foldAccents(sought.trim().replace(/^@/, ''));
  if (wanted === '') return [...everyone];
  return everyone.filter(({ userId, name }) => {
    const { name: own, username = '' } = people.get(userId);
    return [name, own, username].some((called) => foldAccents(called).includes(wanted));
  });
}

/** Members who see a private channel in any case: its creator and the owner. */
export const surePrivateMembers = (serverId: string): string[] => [
  account.id,
  ...members
    .of(serverId)
    .filter(({ role }) => role === 'owner')
    .map(({ userId }) => userId),
];
