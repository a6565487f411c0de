/** Tracks presence and sends it to rooms. The feature `presence` implements it. */
import type { ChosenStatus, PresenceMap } from '../../shared/presence.ts';
import type { Room } from '../../shared/rooms.ts';

/** One connected device of a person. After a reload it is another one. */
export interface Device {
  userId: string;
  sessionId: string;
  socketId: string;
}

export interface Presence {
  /** `stored` is the chosen status as it was read. Returns the current one: it may have changed since. */
  connected(device: Device, stored: ChosenStatus): ChosenStatus;
  disconnected(userId: string, socketId: string): void;
  /** Stops counting the sockets of an ended session on all nodes, without delay: they do not reconnect. */
  signedOut(userId: string, sessionId: string): void;
  used(userId: string, socketId: string, active: boolean): void;
  chose(userId: string, status: ChosenStatus): void;
  /** Sends the statuses of people who became visible in a room; with `offline`, of people no longer visible there. */
  announce(room: Room, userIds: string[], as?: 'offline'): void;
  /** The statuses of these people, without the offline ones. */
  statuses(userIds: Iterable<string>): PresenceMap;
  /** The ids of all people who are not offline. */
  everyone(): string[];
  /** Grows with each change of a status that this node sees. */
  version(): number;
  /** Stops all timers and waits for work under way. */
  stop(): Promise<void>;
}
