/** Who wants to know of changes as such, beside the rows they leave behind. */
import type { Change } from '../../shared/changes.ts';
import type { Room } from '../../shared/rooms.ts';

/**
 * Hears each change once, in order and before it is applied, so that what it removes can still be named.
 * `missed` happened while we were away.
 */
type Listener = (room: Room, change: Change, when: 'live' | 'missed') => void;

const listeners = new Set<Listener>();

/** Answers with how to stop. */
export function listen(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export const tell: Listener = (room, change, when) => {
  for (const listener of listeners) listener(room, change, when);
};

const departures = new Set<(room: Room) => void>();

/** Calls back when I am moved out of a room, before it is let go of. Answers with how to stop. */
export function whenMovedOut(callback: (room: Room) => void): () => void {
  departures.add(callback);
  return () => void departures.delete(callback);
}

export function tellMovedOut(room: Room): void {
  for (const callback of departures) callback(room);
}
