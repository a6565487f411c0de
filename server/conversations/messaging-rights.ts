/**
 * Who may write to whom. A conversation may be started with a friend or with somebody who shares a server,
 * and such people may be added to a group; never across a block. Who is in one already goes on writing,
 * whatever else ends between them, until one of a pair blocks the other (messages/access.ts asks that for
 * each message). In a group two who are apart still see each other.
 */
import { notFound } from '../../shared/failure.ts';
import { mayStart } from '../../shared/permissions.ts';
import { blockedPairs, mustReach } from '../blocks/access.ts';
import type { Db } from '../database/database.ts';
import { friendsAmong } from '../friends/friends.ts';
import { sharedServers } from '../members/access.ts';

/** Servers that bring somebody together with each of these people: to be relied on while they are looked at. */
export const sharedServerLocks = async (
  db: Db,
  userId: string,
  otherIds: string[],
): Promise<string[]> => [...(await sharedServers(db, userId, otherIds)).values()];

/**
 * True when nothing ends it before the transaction does: lock the rooms of all concerned first.
 * @throws ChatError not_found for somebody to whom one may not write, be it that they block one, which they
 * are never told of; conflict for whom one blocks oneself
 */
export async function requireCanMessage(db: Db, userId: string, otherIds: string[]): Promise<void> {
  const servers = await sharedServers(db, userId, otherIds);
  const friends = new Set((await friendsAmong(db, [userId], otherIds)).get(userId));
  const apart = await blockedPairs(
    db,
    otherIds.map((otherId) => [userId, otherId] as const),
  );
  for (const otherId of otherIds) {
    const isBlocked = apart(userId, otherId);
    const bond = { areFriends: friends.has(otherId), shareServer: servers.has(otherId), isBlocked };
    if (mayStart(bond)) continue;
    if (isBlocked) await mustReach(db, userId, otherId);
    throw notFound();
  }
}
