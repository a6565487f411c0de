import type { Change, Row } from '../../shared/changes.ts';
import type { Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import { namedIn } from '../../shared/mentions.ts';
import type { People, Person } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { findAccounts, findCredentials } from './store.ts';

/** What others may know of an account. */
export const asPerson = ({ id, name, username, kind, rev }: Account): Person => ({
  ...{ id, name, kind, rev },
  ...(username !== null && { username }),
});

/** No fewer bytes than one of the people of an answer takes, with the longest of names. */
export const personBytes = 450;

/** The people whom these ids name, as everyone may know them. Unknown ids are left out. */
export async function peopleNamed(db: Db, ids: Iterable<string>): Promise<People> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return {};
  return Object.fromEntries(
    (await findAccounts(db, wanted)).map((account) => [account.id, asPerson(account)]),
  );
}

/**
 * Somebody, by their id or by their username, which is folded already.
 * @throws ChatError not_found
 */
export async function personCalled(
  db: Db,
  { userId, username }: { userId?: string | undefined; username?: string | undefined },
): Promise<Person> {
  const where = username === undefined ? { id: userId ?? '' } : { username };
  const found = await findCredentials(db, where);
  if (found === undefined) throw notFound();
  return asPerson(found.user);
}

/**
 * The people whom rows or changes mention, so that the listener need not ask who they are. Who is in a private
 * channel is known from its server.
 */
export const peopleIn = (db: Db, mentions: (Change | Row)[]): Promise<People> =>
  peopleNamed(db, mentions.flatMap(mentioned));

function mentioned(thing: Change | Row): string[] {
  if ('authorId' in thing) return [thing.authorId, ...namedIn(thing.body)];
  if ('userId' in thing) return [thing.userId];
  if ('senderId' in thing) return [thing.senderId, thing.recipientId];
  if ('message' in thing) return mentioned(thing.message);
  if ('member' in thing) return [thing.member.userId];
  if ('participantIds' in thing) return thing.participantIds;
  if ('conversation' in thing) return thing.conversation.participantIds;
  if ('friendRequest' in thing) return mentioned(thing.friendRequest);
  if ('friendship' in thing) return [thing.friendship.userId];
  if ('block' in thing) return [thing.block.userId];
  return [];
}
