/** Timelines that a client has left. Their state is kept, so that coming back requests only new data. */
import type { Room } from '../../shared/rooms.ts';
import type { RoomReplica } from './room-replica.ts';

export class ParkedRooms {
  readonly #replicas = new Map<Room, RoomReplica>();
  /** Leaves that the server has not answered yet. */
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

  /** Sends the leave. Called again if an event of the room still arrives, because the server can have missed it. */
  async leave(room: Room): Promise<void> {
    if (this.#pendingLeaves.has(room)) return;
    const leaving = this.#sendLeave(room).catch(() => undefined);
    this.#pendingLeaves.set(room, leaving);
    await leaving;
    this.#pendingLeaves.delete(room);
  }

  isLeaving(room: Room): boolean {
    return this.#pendingLeaves.has(room);
  }

  /** Resolves when the pending leave is answered, because entering the room again could overtake it. */
  async left(room: Room): Promise<void> {
    await this.#pendingLeaves.get(room);
  }
}
