/** Groups the list of friends: online and offline; favourites first, then by name. */
import type { Friendship } from '../../shared/friends.ts';
import type { Status } from '../../shared/presence.ts';

export interface ListedFriend {
  friendship: Friendship;
  name: string;
  status: Status;
}

export interface FriendGroup {
  title: 'Online' | 'Offline';
  friends: ListedFriend[];
}

export function groupFriends(friends: readonly ListedFriend[]): FriendGroup[] {
  const sorted = [...friends].sort(
    (a, b) =>
      Number(b.friendship.favourite) - Number(a.friendship.favourite) ||
      a.name.localeCompare(b.name) ||
      a.friendship.id.localeCompare(b.friendship.id),
  );
  return [
    { title: 'Online', friends: sorted.filter(({ status }) => status !== 'offline') },
    { title: 'Offline', friends: sorted.filter(({ status }) => status === 'offline') },
  ];
}
