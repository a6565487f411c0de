import type { Account } from './accounts.ts';
import type { Person } from './people.ts';

/** Returns the account with a newer profile, and its scopes kept. */
export const renewed = ({ scopes }: Account, person: Person | Account): Account => ({
  ...person,
  username: person.username ?? null,
  ...(scopes !== undefined && { scopes }),
});
