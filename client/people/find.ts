/** Finds people by name that the client does not know. */
import type { FoundPerson } from '../../shared/accounts.ts';
import type { FoundMember } from '../../shared/members.ts';
import { send } from '../session/socket.ts';
import { people } from './people.svelte.ts';

/** Not for guests. */
export async function findRegistered(query: string): Promise<readonly FoundPerson[]> {
  const { users } = await send('user:search', { query });
  people.receive(Object.fromEntries(users.map((person) => [person.id, person])));
  return users;
}

/** Includes guests and bots. */
export async function findListedMembers(query: string): Promise<readonly FoundMember[]> {
  const { members, people: found } = await send('member:search', { query });
  people.receive(found);
  return members;
}
