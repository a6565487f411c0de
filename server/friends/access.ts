/** Whose requests and friendships they are: nobody else finds them. */
import { notFound } from '../../shared/failure.ts';
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import * as store from './store.ts';

type Who = Pick<Caller, 'user'>;

/** True when nothing ends it before the transaction does: lock the rooms of both first. */
export const areFriends = async (db: Db, userId: string, friendId: string): Promise<boolean> =>
  (await store.findFriendship(db, { userId, friendId })) !== undefined;

/**
 * A request, for its sender and for who may still answer it.
 * @throws ChatError not_found to everybody else
 */
export async function requestFor(
  db: Db,
  { user }: Who,
  requestId: string,
): Promise<store.StoredRequest> {
  const request = await store.findRequest(db, requestId);
  if (request === undefined || !readersOf(request).includes(user.id)) throw notFound();
  return request;
}

/** Those of the two who see it: who has declined it does not. */
export const readersOf = ({ senderId, recipientId, hidden }: store.StoredRequest): string[] =>
  hidden ? [senderId] : [senderId, recipientId];

/**
 * One's own side of a friendship.
 * @throws ChatError not_found
 */
export async function friendshipFor(db: Db, { user }: Who, id: string): Promise<Friendship> {
  const friendship = await store.findFriendship(db, { userId: user.id, id });
  if (friendship === undefined) throw notFound();
  return friendship;
}

/** A request as one of the two has it in their own room. */
export function asSeenBy(
  { hidden: _, versions, ...request }: store.StoredRequest,
  userId: string,
): FriendRequest {
  return { ...request, version: versions[userId] ?? 0 };
}
