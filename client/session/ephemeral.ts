/** What stands beside the state of a server's room: who is there, and of a large one how many. */
import type { Entry } from '../../shared/entry.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { crowds } from '../members/large-members.svelte.ts';
import { members } from '../members/members.svelte.ts';
import { presence } from '../presence/presence.svelte.ts';
import type { RoomHeld } from '../sync/room-replica.ts';

export function hearBeside(entry: Exclude<Entry, { status: 'gone' }>, held: RoomHeld): void {
  crowds.hear(entry.room, entry.counts);
  if (entry.presence) hearAll(entry.room, held.present(entry.presence));
}

/** All who are not offline, of everyone told of. Of a large server's others, who were asked for, it says nothing. */
export function hearAll(room: Room, users: PresenceMap): void {
  const { id } = splitRoom(room);
  if (!crowds.has(id)) {
    presence.hear(room, users, 'whole');
    return;
  }
  const staff = members.of(id).map(({ userId }) => [userId, 'offline'] as const);
  presence.hear(room, { ...Object.fromEntries(staff), ...users }, 'news');
}

export function dropBeside(room: Room): void {
  presence.drop(room);
  crowds.drop(room);
}
