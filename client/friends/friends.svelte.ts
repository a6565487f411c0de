/** My friends, whom I have asked, and who has asked me. */
import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import { RowsByRoom } from '../rows.svelte.ts';

class Friendships {
  readonly rows = new RowsByRoom<Friendship>(({ id }) => id);
}

class FriendRequests {
  readonly rows = new RowsByRoom<FriendRequest>(({ id }) => id);
}

export const friendships = new Friendships();
export const friendRequests = new FriendRequests();
