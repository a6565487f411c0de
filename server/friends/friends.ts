import { conflict } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { Friendship } from '../../shared/friends.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { pageOf } from '../people/pages.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import type { Caller } from '../caller.ts';
import { friendshipFor, readersOf } from './access.ts';
import { friendshipsOf } from './slices.ts';
import * as store from './store.ts';

export async function listFriendships(
  { node, db, user }: Caller,
  { after, limit = limits.page }: Parsed<'friendship:list'>,
): Promise<Output<'friendship:list'>> {
  return readTransaction(db, async (db) => {
    const found = await friendshipsOf(db, user.id, { after, limit: limit + 1 });
    const { rows: friendships, ...rest } = await pageOf(db, found, limit, personIdsIn(Friendship));
    const presence = node.presence.statuses(friendships.map(({ userId }) => userId));
    return { friendships, ...rest, presence };
  });
}

/** Lock the rooms of both. Returns the side of `userId`. @throws ChatError conflict if either has too many friends */
export async function befriend(
  work: RoomTransaction,
  { id, userId, other }: { id: string; userId: string; other: string },
): Promise<Friendship> {
  if ((await store.countFriendships(work.db, userId)) >= quotas.friendsPerPerson)
    throw conflict(`You can have up to ${quotas.friendsPerPerson} friends. Remove a friend first.`);
  if ((await store.countFriendships(work.db, other)) >= quotas.friendsPerPerson)
    throw conflict('They already have the maximum number of friends.');
  await endRequests(work, userId, other);
  await store.forgetDeclines(work.db, [userId, other]);
  const sides = [
    { id, userId, friendId: other, version: work.nextVersion(userRoom(userId)) },
    { id, userId: other, friendId: userId, version: work.nextVersion(userRoom(other)) },
  ];
  const [mine, theirs] = await store.insertFriendship(work.db, sides);
  if (mine === undefined || theirs === undefined) throw new Error('a friendship was not stored');
  for (const [whose, friendship] of [
    [userId, mine],
    [other, theirs],
  ] as const)
    work.change(userRoom(whose), {
      type: 'friendship:created',
      version: friendship.version,
      friendship,
    });
  return mine;
}

export async function updateFriendship(
  caller: Caller,
  { friendshipId, nickname, favourite }: Parsed<'friendship:update'>,
): Promise<Friendship> {
  const { user } = caller;
  const room = userRoom(user.id);
  return commit(caller, { rooms: [room] }, async (work) => {
    const known = await friendshipFor(work.db, { user }, friendshipId);
    const wanted = {
      nickname: nickname === undefined ? known.nickname : nickname,
      favourite: favourite ?? known.favourite,
    };
    if (wanted.nickname === known.nickname && wanted.favourite === known.favourite) return known;
    const version = work.nextVersion(room);
    const mine = { id: friendshipId, userId: user.id };
    const friendship = await store.updateFriendship(work.db, mine, { ...wanted, version });
    work.change(room, { type: 'friendship:updated', version, friendship });
    return friendship;
  });
}

export async function deleteFriendship(
  caller: Caller,
  { friendshipId }: Parsed<'friendship:delete'>,
): Promise<void> {
  const { db, user } = caller;
  const { userId } = await friendshipFor(db, { user }, friendshipId);
  await commit(caller, { rooms: [userRoom(user.id), userRoom(userId)] }, async (work) => {
    await friendshipFor(work.db, { user }, friendshipId);
    await part(work, friendshipId, [user.id, userId]);
  });
}

/** Ends every request and friendship between two people. The rooms of both must be locked. */
export async function endAllBetween(
  work: RoomTransaction,
  userId: string,
  other: string,
): Promise<void> {
  await endRequests(work, userId, other);
  const friendship = await store.findFriendship(work.db, { userId, friendId: other });
  if (friendship !== undefined) await part(work, friendship.id, [userId, other]);
}

export const friendEnding: Ending = {
  async account(context, { id: userId }) {
    for (const other of await contactsOf(context.db, userId))
      await commit(context, { rooms: [userId, other].map(userRoom) }, (work) =>
        endAllBetween(work, userId, other),
      );
  },
};

async function part(
  work: RoomTransaction,
  friendshipId: string,
  pair: [string, string],
): Promise<void> {
  await store.deleteFriendship(work.db, friendshipId, pair);
  for (const userId of pair) {
    const version = work.nextVersion(userRoom(userId));
    work.change(userRoom(userId), { type: 'friendship:deleted', version, friendshipId });
  }
}

async function endRequests(work: RoomTransaction, userId: string, other: string): Promise<void> {
  for (const request of [
    await store.findRequestOf(work.db, userId, other),
    await store.findRequestOf(work.db, other, userId),
  ])
    if (request !== undefined) await endRequest(work, request);
}

export async function endRequest(
  work: RoomTransaction,
  request: store.StoredRequest,
): Promise<void> {
  const requestId = request.id;
  await store.deleteRequest(work.db, requestId);
  for (const userId of readersOf(request)) {
    const version = work.nextVersion(userRoom(userId));
    work.change(userRoom(userId), { type: 'friendRequest:deleted', version, requestId });
  }
}

export const friendsOf = async (db: Db, id: string): Promise<string[]> =>
  (await friendshipsOf(db, id)).map(({ userId }) => userId);

/** Maps each of `userIds` with friends among `friendIds` to those friends. */
export async function friendsAmong(
  db: Db,
  userIds: string[],
  friendIds: string[],
): Promise<Map<string, string[]>> {
  const among = new Map<string, string[]>();
  for (const { userId, friendId } of await store.findFriendsOfMany(db, userIds, friendIds))
    among.set(userId, [...(among.get(userId) ?? []), friendId]);
  return among;
}

/** The people whose own rooms name this person: friends, people who blocked them, partners in friend requests. */
export const contactsOf = async (db: Db, userId: string): Promise<string[]> =>
  (await store.findAcquaintances(db, userId)).map(({ id }) => id);
