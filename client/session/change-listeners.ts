/** Listeners to changes themselves, independent of the rows that they produce. */
import type { Change } from '../../shared/changes.ts';
import type { Room } from '../../shared/rooms.ts';

/**
 * Called once per change, in order and before it is applied, so that rows which it removes can still be named.
 * `missed`: the change happened while the client was away.
 */
type Listener = (room: Room, change: Change, when: 'live' | 'missed') => void;

const listeners = new Set<Listener>();

export function onChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const emitChange: Listener = (room, change, when) => {
  for (const listener of listeners) listener(room, change, when);
};

const departures = new Set<(room: Room) => void>();

/** Calls back when the server removes this user from a room, before the room is dropped. Returns a stop function. */
export function whenMovedOut(callback: (room: Room) => void): () => void {
  departures.add(callback);
  return () => void departures.delete(callback);
}

export function emitMovedOut(room: Room): void {
  for (const callback of departures) callback(room);
}
