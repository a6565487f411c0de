import { Op } from 'sequelize';
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import { quotas } from '../../shared/quotas.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { friendRequests, friendships, type FriendRequestRow, type FriendshipRow } from './model.ts';

/** `hidden`: its recipient has declined it. `versions`: its version in the own room of each of the two. */
export interface StoredRequest extends Omit<FriendRequest, 'version'> {
  hidden: boolean;
  versions: { [userId: string]: number };
}

const toRequest = (row: FriendRequestRow): StoredRequest => {
  const { id, senderId, recipientId, note, createdAt, hidden } = row;
  const versions = { [senderId]: row.senderVersion, [recipientId]: row.recipientVersion };
  return { id, senderId, recipientId, note, createdAt: createdAt.toISOString(), hidden, versions };
};

const toFriendship = (row: FriendshipRow): Friendship => {
  const { id, friendId, nickname, favourite, createdAt, version } = row;
  return {
    ...{ id, userId: friendId, nickname, favourite, version },
    createdAt: createdAt.toISOString(),
  };
};

export async function findRequest(db: Db, id: string): Promise<StoredRequest | undefined> {
  const row = await friendRequests(db).findByPk(id, within(db));
  return row === null ? undefined : toRequest(row.get());
}

/** The request of one person to another, declined or not. */
export async function findRequestOf(
  db: Db,
  senderId: string,
  recipientId: string,
): Promise<StoredRequest | undefined> {
  const row = await friendRequests(db).findOne({ where: { senderId, recipientId }, ...within(db) });
  return row === null ? undefined : toRequest(row.get());
}

const seenBy = (userId: string) => ({
  [Op.or]: [{ senderId: userId }, { recipientId: userId, hidden: false }],
});

const requestsOf = named(
  `select id, sender_id as "senderId", recipient_id as "recipientId", note, created_at as "createdAt",
     hidden, sender_version as "senderVersion", recipient_version as "recipientVersion"
   from friend_requests
   where (sender_id = $1 or (recipient_id = $1 and not hidden)) and ($2::uuid is null or id > $2)
   order by id limit $3`,
);

const onPage = (userId: string, { after, limit }: Page) => [userId, after ?? null, limit ?? null];

export async function findRequests(
  db: Db,
  userId: string,
  page: Page = {},
): Promise<StoredRequest[]> {
  return (await query<FriendRequestRow>(db, requestsOf, onPage(userId, page))).map(toRequest);
}

export const countRequests = (db: Db, userId: string): Promise<number> =>
  friendRequests(db).count({ where: seenBy(userId), ...within(db) });

export async function insertRequest(
  db: Db,
  request: Omit<FriendRequestRow, 'createdAt'>,
): Promise<StoredRequest> {
  const row = await friendRequests(db).create(request, within(db));
  return toRequest(row.get());
}

export async function updateRequest(
  db: Db,
  id: string,
  to: Partial<Pick<FriendRequestRow, 'note' | 'hidden' | 'senderVersion' | 'recipientVersion'>>,
): Promise<StoredRequest> {
  const [, [row]] = await friendRequests(db).update(to, {
    where: { id },
    returning: true,
    ...within(db),
  });
  if (row === undefined) throw new Error('a friend request is missing although it is locked');
  return toRequest(row.get());
}

export async function deleteRequest(db: Db, id: string): Promise<void> {
  await friendRequests(db).destroy({ where: { id }, ...within(db) });
}

export async function noteDecline(db: Db, senderId: string, recipientId: string): Promise<void> {
  await query(
    db,
    `insert into declines (sender_id, recipient_id) values ($1, $2)
     on conflict (sender_id, recipient_id) do update set at = now()`,
    [senderId, recipientId],
  );
}

/** True when the recipient declined so recently that they do not see a new request yet. */
export async function isDeclined(db: Db, senderId: string, recipientId: string): Promise<boolean> {
  const rows = await query(
    db,
    `select 1 from declines where sender_id = $1 and recipient_id = $2
       and at > now() - $3 * interval '1 second'`,
    [senderId, recipientId, quotas.declineSeconds],
  );
  return rows.length > 0;
}

export async function forgetDeclines(db: Db, pair: [string, string]): Promise<void> {
  await query(
    db,
    'delete from declines where sender_id = any($1::uuid[]) and recipient_id = any($1::uuid[])',
    [pair],
  );
}

export async function isTaken(db: Db, id: string): Promise<boolean> {
  const rows = await query(
    db,
    'select 1 from friend_requests where id = $1 union all select 1 from friendships where id = $1',
    [id],
  );
  return rows.length > 0;
}

export async function findFriendship(
  db: Db,
  where: { userId: string } & ({ id: string } | { friendId: string }),
): Promise<Friendship | undefined> {
  const row = await friendships(db).findOne({ where, ...within(db) });
  return row === null ? undefined : toFriendship(row.get());
}

const friendshipsOf = named(
  `select user_id as "userId", friend_id as "friendId", id, nickname, favourite,
     created_at as "createdAt", version
   from friendships where user_id = $1 and ($2::uuid is null or id > $2) order by id limit $3`,
);

export async function findFriendships(
  db: Db,
  userId: string,
  page: Page = {},
): Promise<Friendship[]> {
  return (await query<FriendshipRow>(db, friendshipsOf, onPage(userId, page))).map(toFriendship);
}

export const countFriendships = (db: Db, userId: string): Promise<number> =>
  friendships(db).count({ where: { userId }, ...within(db) });

export const findFriendsOfMany = (
  db: Db,
  userIds: string[],
  friendIds: string[],
): Promise<Pick<FriendshipRow, 'userId' | 'friendId'>[]> =>
  query(
    db,
    `select user_id as "userId", friend_id as "friendId" from friendships
     where friend_id = any($2::uuid[]) and user_id = any($1::uuid[])`,
    [userIds, friendIds],
  );

export const findAcquaintances = (db: Db, userId: string): Promise<{ id: string }[]> =>
  query(
    db,
    `select user_id as id from friendships where friend_id = $1
     union select user_id from blocks where blocked_id = $1
     union select sender_id from friend_requests where recipient_id = $1
     union select recipient_id from friend_requests where sender_id = $1 and not hidden`,
    [userId],
  );

/** Inserts both sides in one statement, never one without the other. */
export async function insertFriendship(
  db: Db,
  sides: Pick<FriendshipRow, 'id' | 'userId' | 'friendId' | 'version'>[],
): Promise<Friendship[]> {
  const rows = await friendships(db).bulkCreate(sides, { returning: true, ...within(db) });
  return rows.map((row) => toFriendship(row.get()));
}

export async function updateFriendship(
  db: Db,
  { id, userId }: { id: string; userId: string },
  to: Pick<FriendshipRow, 'nickname' | 'favourite' | 'version'>,
): Promise<Friendship> {
  const [, [row]] = await friendships(db).update(to, {
    where: { id, userId },
    returning: true,
    ...within(db),
  });
  if (row === undefined) throw new Error('a friendship is missing although it is locked');
  return toFriendship(row.get());
}

export async function deleteFriendship(db: Db, id: string, pair: [string, string]): Promise<void> {
  await friendships(db).destroy({ where: { id, userId: pair }, ...within(db) });
}
