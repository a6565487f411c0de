/** Access to friend requests and friendships, for the people concerned only. */
import { notFound } from '../../shared/failure.ts';
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Db } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import * as store from './store.ts';

type FriendsCaller = Pick<Caller, 'user'>;

/** The result holds until the transaction ends only if the rooms of both are locked. */
export const areFriends = async (db: Db, userId: string, friendId: string): Promise<boolean> =>
  (await store.findFriendship(db, { userId, friendId })) !== undefined;

/** A request, for its sender and a recipient who has not declined it. @throws ChatError not_found for all others */
export async function requestFor(
  db: Db,
  { user }: FriendsCaller,
  requestId: string,
): Promise<store.StoredRequest> {
  const request = await store.findRequest(db, requestId);
  if (request === undefined || !readersOf(request).includes(user.id)) throw notFound();
  return request;
}

/** The people who see a request: a recipient who declined it does not. */
export const readersOf = ({ senderId, recipientId, hidden }: store.StoredRequest): string[] =>
  hidden ? [senderId] : [senderId, recipientId];

/** @throws ChatError not_found */
export async function friendshipFor(
  db: Db,
  { user }: FriendsCaller,
  id: string,
): Promise<Friendship> {
  const friendship = await store.findFriendship(db, { userId: user.id, id });
  if (friendship === undefined) throw notFound();
  return friendship;
}

/** A request as its row in one person's own room. */
export function requestAsSeenBy(
  { hidden: _, versions, ...request }: store.StoredRequest,
  userId: string,
): FriendRequest {
  return { ...request, version: versions[userId] ?? 0 };
}
