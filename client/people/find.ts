/** People by name, of whom this page may know nothing yet. */
import type { FoundPerson } from '../../shared/accounts.ts';
import type { FoundMember } from '../../shared/members.ts';
import { send } from '../session/socket.ts';
import { people } from './people.svelte.ts';

/** Whoever has registered. Not for guests. */
export async function findRegistered(query: string): Promise<readonly FoundPerson[]> {
  const { users } = await send('user:search', { query });
  people.hear(Object.fromEntries(users.map((person) => [person.id, person])));
  return users;
}

/** Whoever is in a server of mine, guests and bots too. */
export async function findMembers(query: string): Promise<readonly FoundMember[]> {
  const { members, people: told } = await send('member:search', { query });
  people.hear(told);
  return members;
}
