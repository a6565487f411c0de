import type { Change, Row } from '../../shared/changes.ts';
import { personIdOf, type Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import { namedIn } from '../../shared/mentions.ts';
import type { People, Person } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { findVisible, canSee } from './visibility.ts';
import { skeletonOf } from './skeletons.ts';
import { findAccountsAndOwners, findAccount, isOlderThan } from './store.ts';

/** The part of an account that other people can see. */
export const asPerson = ({
  id,
  name,
  username,
  kind,
  rev,
  ownerId,
  avatar,
  statusText,
}: Account): Person => ({
  ...{ id, name, kind, rev },
  ...(username !== null && { username }),
  ...(ownerId !== undefined && { ownerId }),
  ...(avatar !== undefined && { avatar }),
  ...(statusText !== undefined && { statusText }),
  ...skeletonOf(name),
});

/** An upper bound, in bytes, of one person in an answer: with the longest names and status text, and for a bot its owner too. */
export const personBytes = 1_950;

/** Finds people, and the owners of bots among them. Sorted by id, so that the same people are always the same bytes. */
export async function findPeople(db: Db, ids: Iterable<string>): Promise<People> {
  const wanted = [...new Set(ids)];
  const accounts = wanted.length === 0 ? [] : await findAccountsAndOwners(db, wanted);
  const people = accounts.map((account) => [account.id, asPerson(account)] as const);
  return Object.fromEntries(people.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const establishedAfter = 7;

/** True for accounts older than `establishedAfter` days, except guests: many old accounts are hard to get. */
export const isEstablished = async (
  db: Db,
  user: Pick<Account, 'id' | 'ownerId' | 'kind'>,
): Promise<boolean> =>
  user.kind !== 'guest' && (await isOlderThan(db, personIdOf(user), establishedAfter));

/** The owners of these bots that are missing from `people`. */
export const ownersIn = (people: People): Set<string> =>
  new Set(
    Object.values(people).flatMap(({ ownerId }) =>
      ownerId === undefined || ownerId in people ? [] : [ownerId],
    ),
  );

/**
 * By folded username or by id. By id, registered users find each other; all others only people that they can see.
 * @throws ChatError not_found
 */
export async function requirePerson(
  db: Db,
  asker: Pick<Account, 'id' | 'kind'>,
  { userId, username }: { userId?: string | undefined; username?: string | undefined },
): Promise<Person> {
  const where = username === undefined ? { id: userId ?? '' } : { username };
  const user = await findAccount(db, where);
  if (user === undefined) throw notFound();
  const isFound =
    username !== undefined || [asker, user].every(({ kind }) => kind === 'registered');
  if (!isFound && !(await canSee(db, asker.id, user.id))) throw notFound();
  return asPerson(user);
}

/** Finds the people that rows or changes name, also in the text of messages, so that no client has to request them. */
export async function peopleMentioned<T extends Change | Row>(
  db: Db,
  things: T[],
  personIds: (thing: T) => string[],
): Promise<People> {
  const named = things.flatMap(usersNamedIn);
  const isVisible = await visibleAmong(db, named);
  const visible = named.filter((user) => isVisible(user)).map(({ userId }) => userId);
  return findPeople(db, [...things.flatMap(personIds), ...visible]);
}

/** A user whose id is in the text of a message. Anyone can write any id, so this gives no right to see them. */
export interface NamedUser {
  timelineId: string;
  userId: string;
}

/** Returns a test for the users that readers of the timeline can see: see visibility.ts. */
export async function visibleAmong(
  db: Db,
  named: NamedUser[],
): Promise<(user: NamedUser) => boolean> {
  const key = ({ timelineId, userId }: NamedUser) => `${timelineId} ${userId}`;
  const visible = new Set((named.length === 0 ? [] : await findVisible(db, named)).map(key));
  return (user) => visible.has(key(user));
}

function usersNamedIn(thing: Change | Row): NamedUser[] {
  if ('message' in thing) return usersNamedIn(thing.message);
  if (!('authorId' in thing)) return [];
  const { timelineId, body, replyTo } = thing;
  return namedIn(body + (replyTo?.excerpt ?? '')).map((userId) => ({ timelineId, userId }));
}
