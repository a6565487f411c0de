/** Timelines that a client has left: what it holds of them stays for coming back, which asks only for what is new. */
import type { Room } from '../../shared/rooms.ts';
import type { RoomReplica } from './room-replica.ts';

export class ParkedRooms {
  readonly #replicas = new Map<Room, RoomReplica>();
  /** Leaves that the server has not answered. */
  readonly #pendingLeaves = new Map<Room, Promise<unknown>>();
  readonly #sendLeave: (room: Room) => Promise<unknown>;

  constructor(sendLeave: (room: Room) => Promise<unknown>) {
    this.#sendLeave = sendLeave;
  }

  get rooms(): Room[] {
    return [...this.#replicas.keys()];
  }

  get(room: Room): RoomReplica | undefined {
    return this.#replicas.get(room);
  }

  park(room: Room, replica: RoomReplica) {
    this.#replicas.set(room, replica);
  }

  take(room: Room): RoomReplica | undefined {
    const replica = this.#replicas.get(room);
    this.#replicas.delete(room);
    return replica;
  }

  /** Once more, if the room is heard of again: the server may not have understood. */
  async leave(room: Room): Promise<void> {
    if (this.#pendingLeaves.has(room)) return;
    const leaving = this.#sendLeave(room).catch(() => undefined);
    this.#pendingLeaves.set(room, leaving);
    await leaving;
    this.#pendingLeaves.delete(room);
  }

  /** Coming back waits for the leave before it, which it might overtake. */
  async left(room: Room): Promise<void> {
    await this.#pendingLeaves.get(room);
  }
}
