import { account } from '../accounts/account.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { listen } from '../session/change-listeners.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

/** Tells who asked that they are friends now. Answers with how to stop. */
export const watchAccepted = (): (() => void) =>
  listen((_room, change) => {
    if (change.type !== 'friendship:created') return;
    const { userId } = change.friendship;
    if (friendRequests.with(userId)?.senderId === account.id)
      notices.tell(`${friendships.nameOf(userId)} accepted your friend request.`);
  });
