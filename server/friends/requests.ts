import { v7 } from 'uuid';
import { conflict, forbidden, notFound } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { FriendRequest, type Friendship } from '../../shared/friends.ts';
import { limits } from '../../shared/limits.ts';
import { quotas } from '../../shared/quotas.ts';
import type { Person } from '../../shared/people.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { requirePerson } from '../people/people.ts';
import { requireReach } from '../blocks/access.ts';
import { commit, withAccess, type RoomTransaction } from '../commit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { pageOf } from '../people/pages.ts';
import type { Caller } from '../caller.ts';
import { requestAsSeenBy, readersOf, requestFor } from './access.ts';
import { befriend, endRequest } from './friends.ts';
import { friendRequestsOf } from './slices.ts';
import * as store from './store.ts';

/** Two crossing requests make friends. A declined request stays hidden from its recipient for `declineSeconds`. */
export async function askToBeFriends(
  caller: Caller,
  { userId, username, note = '', id = v7() }: Parsed<'friendRequest:create'>,
): Promise<Output<'friendRequest:create'>> {
  const { node, db, user } = caller;
  if (user.kind === 'guest')
    throw forbidden('Guests can’t send friend requests. Create an account first.');
  await node.limits.take('askAgain', `${user.id} ${userId ?? username}`);
  const other = await requirePerson(db, user, { userId, username });
  return commit(caller, { rooms: [user.id, other.id].map(userRoom) }, async (work) => {
    await requireCanAsk(work.db, caller, other);
    const known = await store.findFriendship(work.db, { userId: user.id, friendId: other.id });
    if (known !== undefined && known.id !== id) throw conflict('You’re already friends.');
    const crossing = await store.findRequestOf(work.db, other.id, user.id);
    if (known !== undefined || crossing !== undefined)
      return {
        friendship: known ?? (await befriend(work, { id, userId: user.id, other: other.id })),
      };
    const asked = await ask(work, user.id, other.id, { id, note });
    return { friendRequest: requestAsSeenBy(asked, user.id) };
  });
}

async function requireCanAsk(db: Db, { user }: Caller, other: Person): Promise<void> {
  if (other.id === user.id) throw conflict('You can’t do this to yourself.');
  await requireReach(db, user.id, other.id);
  if (other.kind === 'bot') throw conflict('Bots can’t be friends.');
}

async function ask(
  work: RoomTransaction,
  senderId: string,
  recipientId: string,
  { id, note }: { id: string; note: string },
): Promise<store.StoredRequest> {
  const hidden = await store.isDeclined(work.db, senderId, recipientId);
  const asked = await store.findRequestOf(work.db, senderId, recipientId);
  if (asked !== undefined) return asked.hidden && !hidden ? showAgain(work, asked) : asked;
  if (await store.isTaken(work.db, id)) throw conflict('This id is taken.');
  await requireRoomForRequest(work.db, senderId, recipientId);
  const senderVersion = work.nextVersion(userRoom(senderId));
  const recipientVersion = hidden ? 0 : work.nextVersion(userRoom(recipientId));
  const request = await store.insertRequest(work.db, {
    ...{ id, senderId, recipientId, note, hidden, senderVersion, recipientVersion },
  });
  publishRequest(work, 'created', request, readersOf(request));
  return request;
}

async function requireRoomForRequest(db: Db, senderId: string, recipientId: string): Promise<void> {
  const maxRequests = quotas.friendRequestsPerPerson;
  if ((await store.countRequests(db, senderId)) >= maxRequests)
    throw conflict(
      `One person can have ${maxRequests} open requests. Take one back or answer one first.`,
    );
  if ((await store.countRequests(db, recipientId)) >= maxRequests)
    throw conflict('They already have the maximum number of open requests.');
}

/** Shows a request again that was declined long ago. Nothing changes for its sender. */
const showAgain = (work: RoomTransaction, request: store.StoredRequest) =>
  rewrite(work, request, 'created', { hidden: false }, [request.recipientId]);

async function rewrite(
  work: RoomTransaction,
  { id, senderId, recipientId }: store.StoredRequest,
  as: 'created' | 'updated',
  to: { note?: string; hidden?: boolean },
  readers: string[],
): Promise<store.StoredRequest> {
  const request = await store.updateRequest(work.db, id, {
    ...to,
    ...(readers.includes(senderId) && { senderVersion: work.nextVersion(userRoom(senderId)) }),
    ...(readers.includes(recipientId) && {
      recipientVersion: work.nextVersion(userRoom(recipientId)),
    }),
  });
  publishRequest(work, as, request, readers);
  return request;
}

function publishRequest(
  work: RoomTransaction,
  as: 'created' | 'updated',
  request: store.StoredRequest,
  readers: string[],
): void {
  for (const userId of readers) {
    const friendRequest = requestAsSeenBy(request, userId);
    const { version } = friendRequest;
    work.change(userRoom(userId), { type: `friendRequest:${as}`, version, friendRequest });
  }
}

export async function listRequests(
  { db, user }: Caller,
  { after, limit = limits.page }: Parsed<'friendRequest:list'>,
): Promise<Output<'friendRequest:list'>> {
  return readTransaction(db, async (db) => {
    const found = await friendRequestsOf(db, user.id, { after, limit: limit + 1 });
    const { rows: friendRequests, ...rest } = await pageOf(
      db,
      found,
      limit,
      personIdsIn(FriendRequest),
    );
    return { friendRequests, ...rest };
  });
}

export async function updateRequest(
  caller: Caller,
  { requestId, status, note }: Parsed<'friendRequest:update'>,
): Promise<Output<'friendRequest:update'>> {
  if (note !== undefined) return { friendRequest: await rewriteNote(caller, requestId, note) };
  if (status === 'accepted') return { friendship: await accept(caller, requestId) };
  await decline(caller, requestId);
  return {};
}

async function rewriteNote(
  caller: Caller,
  requestId: string,
  note: string,
): Promise<FriendRequest> {
  const { user } = caller;
  return withRequest(caller, requestId, async (work, request) => {
    if (request.senderId !== user.id) throw forbidden('Only its sender can edit the note.');
    const same = request.note === note;
    const rewritten = same
      ? request
      : await rewrite(work, request, 'updated', { note }, readersOf(request));
    return requestAsSeenBy(rewritten, user.id);
  });
}

/** Accepts a request. If it was accepted already, perhaps on another device, returns the friendship. */
async function accept(caller: Caller, requestId: string): Promise<Friendship> {
  const { db, user } = caller;
  const asked = await store.findRequest(db, requestId);
  const readers = asked === undefined ? [] : readersOf(asked);
  // A caller who is not concerned locks only their own room.
  const rooms = (readers.includes(user.id) ? readers : [user.id]).map(userRoom);
  return commit(caller, { rooms }, async (work) => {
    const known = await store.findFriendship(work.db, { userId: user.id, id: requestId });
    if (known !== undefined) return known;
    const request = await requestFor(work.db, caller, requestId);
    requireRecipient(request, user.id);
    return befriend(work, { id: requestId, userId: user.id, other: request.senderId });
  });
}

/** Accepts the request of a person. Returns the friendship if they are friends already. */
export async function acceptFrom(
  caller: Caller,
  { userId }: Parsed<'friendship:create'>,
): Promise<Friendship> {
  const { db, user } = caller;
  const request = await store.findRequestOf(db, userId, user.id);
  if (request !== undefined) return accept(caller, request.id);
  const known = await store.findFriendship(db, { userId: user.id, friendId: userId });
  if (known === undefined) throw notFound();
  return known;
}

/** The sender is not notified and still sees the request. */
async function decline(caller: Caller, requestId: string): Promise<void> {
  const { user } = caller;
  await withRequest(caller, requestId, async (work, request) => {
    requireRecipient(request, user.id);
    const version = work.nextVersion(userRoom(user.id));
    await store.updateRequest(work.db, requestId, { hidden: true, recipientVersion: version });
    await store.noteDecline(work.db, request.senderId, user.id);
    work.change(userRoom(user.id), { type: 'friendRequest:deleted', version, requestId });
  });
}

export async function deleteRequest(
  caller: Caller,
  { requestId }: Parsed<'friendRequest:delete'>,
): Promise<void> {
  await withRequest(caller, requestId, async (work, request) => {
    if (request.senderId !== caller.user.id)
      throw forbidden('Only its sender can cancel a request. Decline it instead.');
    await endRequest(work, request);
  });
}

function requireRecipient({ recipientId }: store.StoredRequest, userId: string): void {
  if (recipientId !== userId) throw forbidden('Only its recipient can answer a request.');
}

function withRequest<T>(
  caller: Caller,
  requestId: string,
  work: (work: RoomTransaction, request: store.StoredRequest) => Promise<T>,
): Promise<T> {
  return withAccess(
    caller,
    (db) => requestFor(db, caller, requestId),
    ({ senderId, recipientId }) => ({ rooms: [senderId, recipientId].map(userRoom) }),
    work,
  );
}
