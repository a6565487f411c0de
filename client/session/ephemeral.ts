/** Ephemeral data of a server's room: who is there, and of a large one how many. */
import type { Counts } from '../../shared/members.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { crowds } from '../members/large-members.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';

export function receiveEphemeral(room: Room, users: PresenceMap, counts: Counts | undefined): void {
  crowds.hear(room, counts);
  replacePresence(room, users);
}

/** All who are not offline, of everyone told of. Of a large server's others, who were asked for, it says nothing. */
export function replacePresence(room: Room, users: PresenceMap): void {
  const { id } = splitRoom(room);
  if (!crowds.has(id)) {
    presence.hear(room, users, 'whole');
    return;
  }
  const staff = members.of(id).map(({ userId }) => [userId, 'offline'] as const);
  presence.hear(room, { ...Object.fromEntries(staff), ...users }, 'news');
}

export function dropEphemeral(room: Room): void {
  presence.drop(room);
  crowds.drop(room);
}
