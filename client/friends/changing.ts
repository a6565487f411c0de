/** Changes to friendships and friend requests, apart from their rows, because a page loads them later. */
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Output } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { send } from '../session/socket.ts';
import { newId } from '../sync/ids.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

export async function updateFriendship(
  { id }: Friendship,
  what: { nickname?: string | null; favourite?: boolean },
): Promise<void> {
  receive(await send('friendship:update', { friendshipId: id, ...what }));
}

export async function unfriend({ id }: Friendship): Promise<void> {
  await send('friendship:delete', { friendshipId: id });
}

/** If the person has already sent a request, both become friends at once. */
export async function sendRequest(userId: string, note: string): Promise<void> {
  receive(await send('friendRequest:create', { userId, note, id: newId() }));
}

export async function acceptRequest({ id }: FriendRequest): Promise<void> {
  receive(await send('friendRequest:update', { requestId: id, status: 'accepted' }));
}

export async function declineRequest({ id }: FriendRequest): Promise<void> {
  await send('friendRequest:update', { requestId: id, status: 'declined' });
}

export async function rewriteRequest({ id }: FriendRequest, note: string): Promise<void> {
  receive(await send('friendRequest:update', { requestId: id, note }));
}

export async function takeBackRequest({ id }: FriendRequest): Promise<void> {
  await send('friendRequest:delete', { requestId: id });
}

function receive(answer: Output<'friendRequest:create' | 'friendRequest:update'>): void {
  const mine = userRoom(account.id);
  if ('friendship' in answer) friendships.rows.apply(mine, [{ row: answer.friendship }]);
  if ('friendRequest' in answer) friendRequests.rows.apply(mine, [{ row: answer.friendRequest }]);
}
