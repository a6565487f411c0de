import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { onChange } from '../session/change-listeners.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

/** Shows a notice when another user accepts the friend request. Returns a function that stops it. */
export const watchAccepted = (): (() => void) =>
  onChange((_room, change) => {
    if (change.type !== 'friendship:created') return;
    const { userId } = change.friendship;
    if (friendRequests.with(userId)?.senderId === account.id)
      notices.show(`${friendships.nameOf(userId)} accepted your friend request.`);
  });
