/** Finding people of a server by what they are called there. */
import type { Member } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { fold } from '../ui/fold.ts';
import { members } from './members.svelte.ts';

export type Named = Member & { name: string };

/** Everyone in a server, or those of these who are, by name. */
export const named = (serverId: string, who: readonly Member[] = members.of(serverId)): Named[] =>
  who
    .map((member) => ({ ...member, name: members.nameOf(serverId, member.userId) }))
    .sort((a, b) => a.name.localeCompare(b.name) || a.userId.localeCompare(b.userId));

export function matching<P extends { name: string }>(people: readonly P[], sought: string): P[] {
  const wanted = fold(sought.trim());
  return people.filter(({ name }) => fold(name).includes(wanted));
}

/** Those who see a private channel whoever is chosen: its maker, and the owner. */
export const sureInsiders = (serverId: string): string[] => [
  account.id,
  ...members
    .of(serverId)
    .filter(({ role }) => role === 'owner')
    .map(({ userId }) => userId),
];
