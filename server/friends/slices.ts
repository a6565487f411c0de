import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { requestAsSeenBy } from './access.ts';
import { findFriendships, findRequests } from './store.ts';

export const friendshipsOf = (db: Db, userId: string, page: Page = {}): Promise<Friendship[]> =>
  findFriendships(db, userId, page);

export async function friendRequestsOf(
  db: Db,
  userId: string,
  page: Page = {},
): Promise<FriendRequest[]> {
  return (await findRequests(db, userId, page)).map((request) => requestAsSeenBy(request, userId));
}
