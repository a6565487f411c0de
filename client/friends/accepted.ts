import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { onChange } from '../session/change-listeners.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

export const watchAccepted = (): (() => void) =>
  onChange((_room, change) => {
    if (change.type !== 'friendship:created') return;
    const { userId } = change.friendship;
    if (friendRequests.with(userId)?.senderId === account.id)
      notices.show(`${friendships.nameOf(userId)} accepted your friend request.`);
  });
