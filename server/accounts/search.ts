import type { FoundPerson } from '../../shared/accounts.ts';
import { forbidden } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Parsed } from '../../shared/protocol.ts';
import { blockedUserIds } from '../blocks/access.ts';
import { readTransaction } from '../database/database.ts';
import { fold } from '../people/folding.ts';
import { findByName } from '../people/name-search.ts';
import { skeletonOf } from '../people/skeletons.ts';
import type { Caller } from '../caller.ts';

/** The best match first. Excludes guests, who are known by their name only: they are found where they are members. */
export async function searchPeople(
  { node, db, user }: Caller,
  { query, limit = limits.searchResults }: Parsed<'user:search'>,
): Promise<FoundPerson[]> {
  if (user.kind === 'guest')
    throw forbidden('Guests can’t search for people. Create an account to search.');
  await node.limits.take('searchDaily', user.id);
  const wanted = fold(query);
  if (wanted === '') return [];
  return readTransaction(db, async (db) => {
    const apart = await blockedUserIds(db, user.id);
    const found = await findByName(db, wanted, [user.id, ...apart], limit);
    return found.map((person) => ({ ...person, ...skeletonOf(person.name) }));
  });
}
