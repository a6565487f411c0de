/** Those whom I know, from what this page holds: nobody waits for the network here. */
import type { FoundMember } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { groupByLook, handleOf, lookOf } from './looks.ts';
import { people } from './people.svelte.ts';

export interface Acquaintance {
  id: string;
  name: string;
  /** What else they are found by: their username, a nickname. */
  also: string;
  /** Their username, and where from. */
  about: string;
}

interface Known {
  id: string;
  where: string;
  nickname?: string | null;
  /** Only a search has told of them. */
  isFound?: true;
}

/** Those of whom it is known here, then who was found besides; each by name. */
export function acquaintances(found: readonly FoundMember[] = []): Acquaintance[] {
  const known = new Map<string, Known>();
  const meet = (one: Known) => {
    if (one.id !== account.id && !blocks.has(one.id) && !known.has(one.id)) known.set(one.id, one);
  };
  for (const { userId: id } of friendships.all) meet({ id, where: 'Friend' });
  for (const { id: serverId, name } of servers.mine)
    for (const { userId: id, nickname } of members.of(serverId))
      meet({ id, where: name, nickname });
  for (const { userId: id, serverId, nickname } of found)
    meet({ id, where: servers.get(serverId)?.name ?? '', nickname, isFound: true });
  return described([...known.values()]);
}

/** People whom only a search has found: there is nowhere that we have in common. */
export const strangers = (ids: readonly string[]): Acquaintance[] =>
  described(ids.map((id) => ({ id, where: '' })));

/** Whether I can reach them at all: a friend, or a member of a server of mine as far as is known here. */
export const isAcquainted = (userId: string): boolean =>
  friendships.with(userId) !== undefined ||
  servers.mine.some(({ id }) => members.get(id, userId) !== undefined);

function described(known: readonly Known[]): Acquaintance[] {
  const named = known.map((one) => ({ ...one, name: friendships.nameOf(one.id) }));
  const alike = groupByLook(named, ({ name }) => lookOf(name));
  return named
    .sort(
      (a, b) =>
        Number(a.isFound ?? false) - Number(b.isFound ?? false) ||
        a.name.localeCompare(b.name) ||
        a.id.localeCompare(b.id),
    )
    .map(({ id, name, where, nickname }) => {
      const person = people.get(id);
      // Guests and bots have none: theirs is told where one could be taken for another.
      const isAlone = alike.get(lookOf(name))?.length === 1;
      const handle = person.username === undefined && isAlone ? '' : handleOf(person);
      const called = nickname && nickname !== name ? `${nickname} in ${where}` : where;
      const also = [person.username, nickname, name === person.name ? '' : person.name];
      return {
        ...{ id, name },
        also: also.filter(Boolean).join(' '),
        about: [handle, called].filter(Boolean).join(' · '),
      };
    });
}
