import type { Account } from './accounts.ts';
import type { Person } from './people.ts';

/** An account, as something newer tells of it. */
export const renewed = ({ scopes }: Account, person: Person | Account): Account => ({
  ...person,
  username: person.username ?? null,
  ...(scopes !== undefined && { scopes }),
});
