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
import { sharedServers } from '../members/access.ts';
import { findPeople } from '../people/people.ts';

/** Returns one shared server per person. Lock these servers, so that nobody leaves them and their settings stay. */
export const sharedServerLocks = async (
  db: Db,
  userId: string,
  otherIds: string[],
): Promise<string[]> =>
  [...(await sharedServers(db, userId, otherIds)).values()].map(({ serverId }) => serverId);

/** Returns the people who share a server without `messageRequests` with the user. Guests are never colleagues. */
export async function colleaguesAmong(
  db: Db,
  { id, kind }: Pick<Account, 'id' | 'kind'>,
  otherIds: string[],
): Promise<ReadonlySet<string>> {
  if (kind === 'guest') return new Set();
  const [servers, people] = await Promise.all([
    sharedServers(db, id, otherIds),
    findPeople(db, otherIds),
  ]);
  const isColleague = (otherId: string) =>
    servers.get(otherId)?.messageRequests === false && people[otherId]?.kind !== 'guest';
  return new Set(otherIds.filter(isColleague));
}

/** Returns the people to whom the user can write without a request: friends and colleagues. */
export async function needNoRequest(
  db: Db,
  user: Pick<Account, 'id' | 'kind'>,
  otherIds: string[],
): Promise<ReadonlySet<string>> {
  const [friends, colleagues] = await Promise.all([
    friendsAmong(db, [user.id], otherIds),
    colleaguesAmong(db, user, otherIds),
  ]);
  return new Set([...(friends.get(user.id) ?? []), ...colleagues]);
}

/**
 * Call it before locking their rooms, so that a caller cannot lock a stranger's room, and again under the locks.
 * @throws ChatError conflict if the user blocks one of them; not_found for others out of reach, which hides a block
 */
export async function requireCanMessage(db: Db, userId: string, otherIds: string[]): Promise<void> {
  if (otherIds.length === 0) return;
  const servers = await sharedServers(db, userId, otherIds);
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
