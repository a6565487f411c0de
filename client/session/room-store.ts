/** The store that fills the features' slices. Components read these and update when rows change. */
import type { Row } from '../../shared/changes.ts';
import { roomSlices, splitRoom, type Room } from '../../shared/rooms.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { holders } from '../features.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { bySlice, type SliceStore } from '../sync/changes.ts';
import type { RoomStore } from '../sync/room-store.ts';
import { SyncClient } from '../sync/sync-client.ts';
import { emitChange, emitMovedOut } from './change-listeners.ts';
import { dropEphemeral, receiveEphemeral } from './ephemeral.ts';
import { connection } from '../connection/connection.svelte.ts';

let whenWhole: (() => void) | undefined;

/** Calls back once, when the user's own room has been received completely. */
export function onceWhole(callback: () => void): void {
  whenWhole = callback;
}

export const slicesOf = (room: Room) => roomSlices[splitRoom(room).kind];

const store: RoomStore = {
  replace({ room, state, people: mentioned }) {
    people.receive(mentioned);
    const rows: Partial<Record<string, Row[]>> = state;
    for (const slice of slicesOf(room))
      (holders[slice] as SliceStore<Row>).replace(room, rows[slice] ?? []);
  },
  apply({ room, changes, people: mentioned }, when) {
    people.receive(mentioned);
    for (const change of changes) emitChange(room, change, when);
    for (const [slice, part] of bySlice(changes))
      (holders[slice] as SliceStore<Row>).apply(room, part);
  },
  entered(room) {
    if (splitRoom(room).kind !== 'user') return;
    whenWhole?.();
    whenWhole = undefined;
  },
  drop(room) {
    dropEphemeral(room);
    for (const slice of slicesOf(room)) holders[slice].drop(room);
  },
  movedOut: emitMovedOut,
  ephemeral: receiveEphemeral,
  isConversation: (timelineId) => conversations.get(timelineId) !== undefined,
  badges: reads,
};

export const sync = new SyncClient(connection.driver, store);
