import type { FriendRequest, Friendship } from '../../shared/friends.ts';
import type { Status } from '../../shared/presence.ts';
import { userRoom } from '../../shared/rooms.ts';
import { account } from '../accounts/account.svelte.ts';
import { people } from '../people/people.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';

class Friendships {
  readonly rows = new RowsByRoom<Friendship>(({ id }) => id);
  readonly #byFriend = $derived(
    new Map(
      [...(this.rows.in(userRoom(account.id))?.values() ?? [])].map((row) => [row.userId, row]),
    ),
  );

  get all(): Friendship[] {
    return [...this.#byFriend.values()];
  }

  with(userId: string): Friendship | undefined {
    return this.#byFriend.get(userId);
  }

  nameOf(userId: string): string {
    return this.with(userId)?.nickname ?? people.get(userId).name;
  }

  statusOf(userId: string): Status {
    return presence.of(userRoom(account.id), userId);
  }
}

class FriendRequests {
  readonly rows = new RowsByRoom<FriendRequest>(({ id }) => id);
  /** Latest first. */
  readonly all = $derived(
    [...(this.rows.in(userRoom(account.id))?.values() ?? [])].sort((a, b) =>
      b.createdAt.localeCompare(a.createdAt),
    ),
  );
  readonly #byOther = $derived(
    new Map(
      this.all.map((row) => [row.senderId === account.id ? row.recipientId : row.senderId, row]),
    ),
  );

  get received(): FriendRequest[] {
    return this.all.filter(({ recipientId }) => recipientId === account.id);
  }

  get sent(): FriendRequest[] {
    return this.all.filter(({ senderId }) => senderId === account.id);
  }

  with(userId: string): FriendRequest | undefined {
    return this.#byOther.get(userId);
  }
}

export const requestWords = (count: number, what: 'friend' | 'message') =>
  `${count} ${what} ${count === 1 ? 'request' : 'requests'}`;

export const friendships = new Friendships();
export const friendRequests = new FriendRequests();

export function friendStateWith(userId: string): 'friends' | 'asked me' | 'asked' | 'nothing' {
  if (friendships.with(userId)) return 'friends';
  const request = friendRequests.with(userId);
  if (!request) return 'nothing';
  return request.senderId === userId ? 'asked me' : 'asked';
}
