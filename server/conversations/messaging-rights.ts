/**
 * The rights to start a conversation. Friends and people who share a server can start one, and can add each other to
 * groups, but never across a block. An existing conversation goes on when they stop being friends or leave the server.
 * A block stops a conversation of two (messages/access.ts checks each message), but not a group.
 */
import type { Account } from '../../shared/accounts.ts';
import { notFound } from '../../shared/failure.ts';
import { canStart } from '../../shared/permissions.ts';
import { blockedPairs, requireReach } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import { friendsAmong } from '../friends/friends.ts';
import { sharedServers, type Two } from '../members/access.ts';
import { findPeople } from '../people/people.ts';

/** Returns one shared server per person. Lock these servers, so that nobody leaves them and their settings stay. */
export const sharedServerLocks = async (
  db: Db,
  userId: string,
  otherIds: string[],
): Promise<string[]> => [
  ...new Set((await sharedServers(db, withEach(userId, otherIds))).map(({ serverId }) => serverId)),
];

const withEach = (userId: string, otherIds: string[]): Two[] =>
  otherIds.map((otherId) => ({ userId, otherId }));

/** A person who writes, or starts to write, to another. */
export interface Writing {
  user: Pick<Account, 'id' | 'kind'>;
  otherId: string;
}

type IsAmong = (userId: string, otherId: string) => boolean;

/**
 * Returns a test for colleagues: people who share a server without `messageRequests`. Guests are never colleagues.
 * `serverIds`: the locked servers.
 */
export async function colleaguesAmong(
  db: Db,
  writing: Writing[],
  serverIds?: string[],
): Promise<IsAmong> {
  const registered = writing.filter(({ user }) => user.kind !== 'guest');
  if (registered.length === 0) return () => false;
  const [shared, people] = await Promise.all([
    sharedServers(
      db,
      registered.map(({ user, otherId }) => ({ userId: user.id, otherId })),
      serverIds,
    ),
    findPeople(
      db,
      registered.map(({ otherId }) => otherId),
    ),
  ]);
  const colleagues = new Set(
    shared
      .filter(
        ({ otherId, messageRequests }) => !messageRequests && people[otherId]?.kind !== 'guest',
      )
      .map(keyOf),
  );
  return (userId, otherId) => colleagues.has(keyOf({ userId, otherId }));
}

const keyOf = ({ userId, otherId }: Two) => `${userId} ${otherId}`;

/** Returns a test for people who get the user’s messages without a request: friends and colleagues. */
export async function needNoRequest(
  db: Db,
  writing: Writing[],
  serverIds?: string[],
): Promise<IsAmong> {
  if (writing.length === 0) return () => false;
  const [friends, areColleagues] = await Promise.all([
    friendsAmong(
      db,
      writing.map(({ user }) => user.id),
      writing.map(({ otherId }) => otherId),
    ),
    colleaguesAmong(db, writing, serverIds),
  ]);
  return (userId, otherId) =>
    friends.get(userId)?.includes(otherId) === true || areColleagues(userId, otherId);
}

/**
 * Call it before locking their rooms, so that a caller cannot lock a stranger's room, and again under the locks, then
 * with the locked servers.
 * @throws ChatError conflict if the user blocks one of them; not_found for others out of reach, which hides a block
 */
export async function requireCanMessage(
  db: Db,
  userId: string,
  otherIds: string[],
  serverIds?: string[],
): Promise<void> {
  if (otherIds.length === 0) return;
  const shared = await sharedServers(db, withEach(userId, otherIds), serverIds);
  const servers = new Set(shared.map(({ otherId }) => otherId));
  const friends = new Set((await friendsAmong(db, [userId], otherIds)).get(userId));
  const apart = await blockedPairs(
    db,
    otherIds.map((otherId) => [userId, otherId] as const),
  );
  for (const otherId of otherIds) {
    const isBlocked = apart(userId, otherId);
    const bond = { areFriends: friends.has(otherId), shareServer: servers.has(otherId), isBlocked };
    if (canStart(bond)) continue;
    if (isBlocked) await requireReach(db, userId, otherId);
    throw notFound();
  }
}
