/** The rooms that a client holds, and rooms that it has left but keeps. All are of one epoch. */
import type { Room } from '../../shared/rooms.ts';
import type { ParkedRooms } from './parked-rooms.ts';
import { RoomReplica, type SyncCursor } from './room-replica.ts';

export interface HeldRoom {
  replica: RoomReplica;
  opening?: Promise<void> | undefined;
  /** Set during a `sync` of the room. One from before a leave does not show whether the client is subscribed again. */
  isSyncing?: boolean;
  timer?: ReturnType<typeof setTimeout> | undefined;
  /** The number of consecutive requests without a response. */
  unanswered: number;
}

export class HeldRooms {
  readonly parked: ParkedRooms;
  /** The epoch of the versions held: the life of the database that counts them. */
  epoch = '';
  readonly #held = new Map<Room, HeldRoom>();
  readonly #cursorOf: (room: Room) => SyncCursor | undefined;

  constructor(parked: ParkedRooms, cursorOf: (room: Room) => SyncCursor | undefined) {
    this.parked = parked;
    this.#cursorOf = cursorOf;
  }

  get names(): Room[] {
    return [...this.#held.keys()];
  }

  get(room: Room): HeldRoom | undefined {
    return this.#held.get(room);
  }

  /** The replica of a room that the client is in or has left. */
  replica(room: Room): RoomReplica | undefined {
    return this.#held.get(room)?.replica ?? this.parked.get(room);
  }

  /** Holds a room, with its parked or saved state if there is any. */
  ensure(room: Room): HeldRoom {
    const held = this.#held.get(room);
    if (held) return held;
    const replica = this.parked.take(room) ?? new RoomReplica(this.#cursorOf(room));
    const fresh: HeldRoom = { replica, unanswered: 0 };
    this.#held.set(room, fresh);
    return fresh;
  }

  /** Keeps the state of a room that is left. Returns whether it was held. */
  park(room: Room): boolean {
    const held = this.#held.get(room);
    if (!held) return false;
    stopWaiting(held);
    this.#held.delete(room);
    this.parked.park(room, held.replica);
    return true;
  }

  drop(room: Room) {
    const held = this.#held.get(room);
    if (held) stopWaiting(held);
    this.#held.delete(room);
    this.parked.take(room);
  }

  clear() {
    for (const held of this.#held.values()) stopWaiting(held);
    this.#held.clear();
  }
}

export function stopWaiting(held: HeldRoom) {
  clearTimeout(held.timer);
  held.timer = undefined;
}
