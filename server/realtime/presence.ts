/** Tracks who is online, and tells rooms. The feature `presence` implements it. */
import type { ChosenStatus, PresenceMap } from '../../shared/presence.ts';
import type { Room } from '../../shared/rooms.ts';

/** One of a person's devices; the same device again after a reload is another. */
export interface Device {
  userId: string;
  sessionId: string;
  socketId: string;
}

export interface Presence {
  /** `stored` is the chosen status as it was read. Returns the current one: it may have changed since. */
  connected(device: Device, stored: ChosenStatus): ChosenStatus;
  disconnected(userId: string, socketId: string): void;
  /** A session has ended: its sockets do not come back, so on all nodes they stop counting without delay. */
  signedOut(userId: string, sessionId: string): void;
  used(userId: string, socketId: string, active: boolean): void;
  /** A person has chosen another status, which is already stored. */
  chose(userId: string, status: ChosenStatus): void;
  /**
   * Tells a room on all nodes how these people are, which is new to those in it although no status and no list has
   * changed; or, with `offline`, that they are not to be seen there any more.
   */
  announce(room: Room, userIds: string[], as?: 'offline'): void;
  /** The statuses of those of these people who are not offline. */
  statuses(userIds: Iterable<string>): PresenceMap;
  /** The ids of all who are not offline. */
  everyone(): string[];
  /** Grows with each change of a status that this node sees. */
  version(): number;
  stop(): void;
}
