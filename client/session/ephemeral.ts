/** Ephemeral data of a server's room: presence, and in a large server the counts. */
import type { Counts } from '../../shared/members.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { largeMembers } from '../members/large-members.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';

export function receiveEphemeral(room: Room, users: PresenceMap, counts: Counts | undefined): void {
  largeMembers.receive(room, counts);
  replacePresence(room, users);
}

/** `users`: the listed members who are not offline, without members of a large server requested separately. */
export function replacePresence(room: Room, users: PresenceMap): void {
  const { id } = splitRoom(room);
  if (!largeMembers.has(id)) {
    presence.receive(room, users, 'whole');
    return;
  }
  const staff = members.of(id).map(({ userId }) => [userId, 'offline'] as const);
  presence.receive(room, { ...Object.fromEntries(staff), ...users }, 'news');
}

export function dropEphemeral(room: Room): void {
  presence.drop(room);
  largeMembers.drop(room);
}
