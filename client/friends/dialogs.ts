/** Dialogs about a person. They close when the friendship or request ends. */
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { friendRequests, friendships } from './friends.svelte.ts';

const AskFriend = lazy(() => import('./AskFriend.svelte'));
const NicknameFriend = lazy(() => import('./NicknameFriend.svelte'));
const EndFriendship = lazy(() => import('./EndFriendship.svelte'));
const BlockPerson = lazy(() => import('../blocks/BlockPerson.svelte'));

const personOf = (userId: string) => ({ userId, name: friendships.nameOf(userId) });

export function showFriendRequest(userId: string): void {
  overlay.open(AskFriend, () => personOf(userId));
}

export function editNote(userId: string): void {
  overlay.open(AskFriend, () => {
    const request = friendRequests.with(userId);
    return request && { ...personOf(userId), request };
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
  overlay.open(BlockPerson, () => personOf(userId));
}
