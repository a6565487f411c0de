import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Db } from '../database/database.ts';
import { asSeenBy } from './access.ts';
import { findFriendships, findRequests } from './store.ts';

export const friendshipsOf = (db: Db, userId: string): Promise<Friendship[]> =>
  findFriendships(db, userId);

export async function friendRequestsOf(db: Db, userId: string): Promise<FriendRequest[]> {
  return (await findRequests(db, userId)).map((request) => asSeenBy(request, userId));
}
