/** What is asked about somebody, as long as there is something to ask. */
import { later } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

const AskFriend = later(() => import('./AskFriend.svelte'));
const NicknameFriend = later(() => import('./NicknameFriend.svelte'));
const EndFriendship = later(() => import('./EndFriendship.svelte'));
const BlockPerson = later(() => import('../blocks/BlockPerson.svelte'));

const whoIs = (userId: string) => ({ userId, name: friendships.nameOf(userId) });

export function askToBeFriends(userId: string): void {
  overlay.open(AskFriend, () => whoIs(userId));
}

export function editNote(userId: string): void {
  overlay.open(AskFriend, () => {
    const request = friendRequests.with(userId);
    return request && { ...whoIs(userId), request };
  });
}

export function giveNickname(userId: string): void {
  overlay.open(NicknameFriend, () => {
    const friendship = friendships.with(userId);
    return friendship && { friendship };
  });
}

export function endFriendship(userId: string): void {
  overlay.open(EndFriendship, () => {
    const friendship = friendships.with(userId);
    return friendship && { friendship, name: friendships.nameOf(userId) };
  });
}

export function block(userId: string): void {
  overlay.open(BlockPerson, () => whoIs(userId));
}
