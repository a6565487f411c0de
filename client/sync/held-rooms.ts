/** Which rooms a client holds, and those that it has left and keeps; all of one life of the database. */
import type { Room } from '../../shared/rooms.ts';
import type { ParkedRooms } from './parked-rooms.ts';
import { RoomReplica, type SyncCursor } from './room-replica.ts';

export interface HeldRoom {
  replica: RoomReplica;
  /** It is being opened. */
  opening?: Promise<void> | undefined;
  /** When it is asked for again. */
  timer?: ReturnType<typeof setTimeout> | undefined;
  /** How often in a row no answer came. */
  unanswered: number;
}

export class HeldRooms {
  readonly parked: ParkedRooms;
  /** The life of the database in which they are heard. */
  epoch = '';
  readonly #held = new Map<Room, HeldRoom>();
  readonly #cursorOf: (room: Room) => SyncCursor | undefined;

  /** `cursorOf` says what an earlier run of this client held of a room. */
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

  /** Of a room that we are in, or have left. */
  replica(room: Room): RoomReplica | undefined {
    return this.#held.get(room)?.replica ?? this.parked.get(room);
  }

  /** Holds it from now on, with what is left of it. */
  ensure(room: Room): HeldRoom {
    const held = this.#held.get(room);
    if (held) return held;
    const replica = this.parked.take(room) ?? new RoomReplica(this.#cursorOf(room));
    const fresh: HeldRoom = { replica, unanswered: 0 };
    this.#held.set(room, fresh);
    return fresh;
  }

  /** Keeps what was heard of a room that is left. Answers whether it was held. */
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
