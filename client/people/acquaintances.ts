/** Those whom I know, from what this page holds: nobody waits for the network here. */
import { account } from '../accounts/account.svelte.ts';
import { friendships } from '../friends/friends.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { groupByLook, handleOf, lookOf } from './looks.ts';
import { people } from './people.svelte.ts';

export interface Acquaintance {
  id: string;
  name: string;
  /** Where from. */
  about: string;
}

export function acquaintances(): Acquaintance[] {
  const known = new Map<string, Acquaintance>();
  for (const { userId: id } of friendships.all)
    known.set(id, { id, name: friendships.nameOf(id), about: 'Friend' });
  for (const server of servers.mine)
    for (const { userId: id } of members.of(server.id))
      if (id !== account.id && !known.has(id))
        known.set(id, { id, name: people.get(id).name, about: server.name });
  return apart([...known.values()]).sort((a, b) => a.name.localeCompare(b.name));
}

/** Whether I can reach them at all: a friend, or a member of a server of mine as far as is known here. */
export const isAcquainted = (userId: string): boolean =>
  friendships.with(userId) !== undefined ||
  servers.mine.some(({ id }) => members.get(id, userId) !== undefined);

/** Of several whose names look alike it is said which is which. */
const apart = (known: readonly Acquaintance[]): Acquaintance[] =>
  [...groupByLook(known, ({ name }) => lookOf(name)).values()].flatMap((alike) =>
    alike.length === 1
      ? alike
      : alike.map((one) => ({ ...one, about: `${handleOf(people.get(one.id))} · ${one.about}` })),
  );
