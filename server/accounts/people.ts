import type { Change, Row } from '../../shared/changes.ts';
import type { Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import { namedIn } from '../../shared/mentions.ts';
import type { People, Person } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { findKnown, haveMet } from './known.ts';
import { skeletonOf } from './skeletons.ts';
import { findAccounts, findCredentials } from './store.ts';

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
 * are left out.
 */
export async function peopleNamed(db: Db, ids: Iterable<string>): Promise<People> {
  const found = await findPeople(db, new Set(ids));
  return { ...(await findPeople(db, ownersIn(found))), ...found };
}

async function findPeople(db: Db, ids: ReadonlySet<string>): Promise<People> {
  if (ids.size === 0) return {};
  const accounts = await findAccounts(db, [...ids]);
  return Object.fromEntries(accounts.map((account) => [account.id, asPerson(account)]));
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
export async function personCalled(
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

/**
 * The people whom rows or changes mention, so that the listener need not ask who they are. Who is in a private
 * channel is known from its server.
 */
export async function peopleIn(db: Db, mentions: (Change | Row)[]): Promise<People> {
  const called = mentions.flatMap(calledIn);
  const isKnown = await knownAmong(db, called);
  const known = called.filter((call) => isKnown(call)).map(({ userId }) => userId);
  return peopleNamed(db, [...mentions.flatMap(mentioned), ...known]);
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
  const { timelineId } = thing;
  return namedIn(thing.body).map((userId) => ({ timelineId, userId }));
}

/** The people whom a row or a change is about, but for those whom a message only names. */
export function mentioned(thing: Change | Row): string[] {
  if ('authorId' in thing) return [thing.authorId];
  if ('userId' in thing) return [thing.userId];
  if ('senderId' in thing) return [thing.senderId, thing.recipientId];
  if ('fromId' in thing) return [thing.fromId, thing.toId];
  if ('message' in thing) return mentioned(thing.message);
  if ('member' in thing) return [thing.member.userId];
  // Who created a group may have left it.
  if ('participantIds' in thing) return [...new Set([thing.creatorId, ...thing.participantIds])];
  if ('conversation' in thing) return mentioned(thing.conversation);
  if ('friendRequest' in thing) return mentioned(thing.friendRequest);
  if ('transfer' in thing) return mentioned(thing.transfer);
  if ('friendship' in thing) return [thing.friendship.userId];
  if ('block' in thing) return [thing.block.userId];
  return [];
}
