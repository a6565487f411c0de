/** Those whom I know, from what this page holds: nobody waits for the network here. */
import { account } from '../accounts/account.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { people } from './people.svelte.ts';

export interface Acquaintance {
  id: string;
  name: string;
  /** Where from. */
  about: string;
}

export function acquaintances(): Acquaintance[] {
  const known = new Map<string, Acquaintance>();
  for (const server of servers.mine)
    for (const { userId } of members.of(server.id))
      if (userId !== account.id && !known.has(userId))
        known.set(userId, { id: userId, name: people.get(userId).name, about: server.name });
  return [...known.values()].sort((a, b) => a.name.localeCompare(b.name));
}
