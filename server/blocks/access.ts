import { conflict, notFound } from '../../shared/failure.ts';
import type { Db } from '../database/database.ts';
import { findApart, findApartEach, findBlock, findBlocksBetween } from './store.ts';

/** True for a pair when one blocks the other. Valid until the transaction ends, if both rooms are locked in it. */
export async function blockedPairs(
  db: Db,
  pairs: (readonly [string, string])[],
): Promise<(one: string, other: string) => boolean> {
  const found = pairs.length === 0 ? [] : await findBlocksBetween(db, pairs);
  const apart = new Set(found.map(({ userId, blockedId }) => `${userId} ${blockedId}`));
  return (one, other) => apart.has(`${one} ${other}`) || apart.has(`${other} ${one}`);
}

/** Everyone on the other side of a block with this person, in either direction. */
export const blockedUserIds = async (db: Db, userId: string): Promise<string[]> =>
  (await findApart(db, userId)).map(({ id }) => id);

export async function blockedUserIdsOf(db: Db, userIds: string[]): Promise<Map<string, string[]>> {
  const apart = new Map<string, string[]>();
  if (userIds.length === 0) return apart;
  for (const { userId, blockedId } of await findApartEach(db, [...new Set(userIds)])) {
    const theirs = apart.get(userId) ?? [];
    theirs.push(blockedId);
    apart.set(userId, theirs);
  }
  return apart;
}

/** @throws ChatError conflict if the first blocks the other; not_found, which hides the block, if the other does */
export async function requireReach(db: Db, userId: string, other: string): Promise<void> {
  if ((await findBlock(db, userId, other)) !== undefined)
    throw conflict('You’ve blocked this person. Unblock them first.');
  if ((await findBlock(db, other, userId)) !== undefined) throw notFound();
}
