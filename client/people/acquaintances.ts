/** The people that the user knows, from the client's own data without a request. */
import { lookOf } from '../../shared/looks.ts';
import type { FoundMember } from '../../shared/members.ts';
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { groupByLook, handleOf } from './looks.ts';
import { people } from './people.svelte.ts';

export interface Acquaintance {
  id: string;
  name: string;
  /** Other names to search by: username and nickname. */
  also: string;
  /** The username, and the place where the user knows the person from. */
  about: string;
}

interface Known {
  id: string;
  where: string;
  nickname?: string | null;
  /** Known from a search only. */
  isFound?: true;
}

/** Known people, then people found by search; each sorted by name. */
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

/** People that were only found by search and share no place with the user. */
export const strangers = (ids: readonly string[]): Acquaintance[] =>
  described(ids.map((id) => ({ id, where: '' })));

/** True if the user can reach the person: a friend, or a known member of one of the user's servers. */
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
      // Guests and bots have no username, so their handle is shown if another name looks alike.
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
