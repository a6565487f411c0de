import type { Change, Row } from '../../shared/changes.ts';
import type { Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import { namedIn } from '../../shared/mentions.ts';
import type { People, Person } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { findKnown, haveMet } from './known.ts';
import { skeletonOf } from './skeletons.ts';
import { findAccountsAndOwners, findCredentials } from './store.ts';

/** What others may know of an account. */
export const asPerson = ({ id, name, username, kind, rev, ownerId }: Account): Person => ({
  ...{ id, name, kind, rev },
  ...(username !== null && { username }),
  ...(ownerId !== undefined && { ownerId }),
  ...skeletonOf(name),
});

/** No fewer bytes than one of the people of an answer takes, with the longest of names: a bot comes with its owner. */
export const personBytes = 1_500;

/**
 * The people whom these ids name, as everyone may know them, and those whose bots some of them are. Unknown ids
 * are left out. In the order of their ids, so that the same people are the same bytes.
 */
export async function findPeople(db: Db, ids: Iterable<string>): Promise<People> {
  const wanted = [...new Set(ids)];
  const accounts = wanted.length === 0 ? [] : await findAccountsAndOwners(db, wanted);
  const people = accounts.map((account) => [account.id, asPerson(account)] as const);
  return Object.fromEntries(people.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The owners of bots among these people who are not among them. */
export const ownersIn = (people: People): Set<string> =>
  new Set(
    Object.values(people).flatMap(({ ownerId }) =>
      ownerId === undefined || ownerId in people ? [] : [ownerId],
    ),
  );

/**
 * Somebody, by their username, which is folded already, or by their id, if the asker may know whose it is: registered
 * people find each other anyway, all others only where they have met.
 * @throws ChatError not_found
 */
export async function requirePerson(
  db: Db,
  asker: Pick<Account, 'id' | 'kind'>,
  { userId, username }: { userId?: string | undefined; username?: string | undefined },
): Promise<Person> {
  const where = username === undefined ? { id: userId ?? '' } : { username };
  const user = (await findCredentials(db, where))?.user;
  if (user === undefined) throw notFound();
  const isFound =
    username !== undefined || [asker, user].every(({ kind }) => kind === 'registered');
  if (!isFound && !(await haveMet(db, asker.id, user.id))) throw notFound();
  return asPerson(user);
}

/** The people whom rows or changes name, those in the texts of messages too: so nobody need ask who they are. */
export async function peopleMentioned<T extends Change | Row>(
  db: Db,
  things: T[],
  personIds: (thing: T) => string[],
): Promise<People> {
  const called = things.flatMap(calledIn);
  const isKnown = await knownAmong(db, called);
  const known = called.filter((call) => isKnown(call)).map(({ userId }) => userId);
  return findPeople(db, [...things.flatMap(personIds), ...known]);
}

/** Somebody whom a message names by their id: anybody may have written any id. */
export interface Call {
  timelineId: string;
  userId: string;
}

/** Which of them those who read there may know: who is in the server or conversation, or has been there. */
export async function knownAmong(db: Db, calls: Call[]): Promise<(call: Call) => boolean> {
  const key = ({ timelineId, userId }: Call) => `${timelineId} ${userId}`;
  const known = new Set((calls.length === 0 ? [] : await findKnown(db, calls)).map(key));
  return (call) => known.has(key(call));
}

function calledIn(thing: Change | Row): Call[] {
  if ('message' in thing) return calledIn(thing.message);
  if (!('authorId' in thing)) return [];
  const { timelineId, body, replyTo } = thing;
  return namedIn(body + (replyTo?.excerpt ?? '')).map((userId) => ({ timelineId, userId }));
}
