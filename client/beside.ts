/** What stands beside the state of a server's room: who is there, and of a large one how many. */
import type { Entry } from '../shared/entry.ts';
import type { Room } from '../shared/rooms.ts';
import { crowds } from './members/crowds.svelte.ts';
import { presence } from './presence/presence.svelte.ts';

export function hearBeside(entry: Exclude<Entry, { status: 'gone' }>): void {
  if (entry.presence) presence.hear(entry.room, entry.presence, 'whole');
  crowds.hear(entry.room, entry.counts);
}

export function dropBeside(room: Room): void {
  presence.drop(room);
  crowds.drop(room);
}
