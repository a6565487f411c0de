import { volatileEvents } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import type { Clock } from '../node/clock.ts';
import type { Moment } from './sockets.ts';

/** Limits the volatile events of many people in a room, because each event goes to everyone in the room. */
export class Pace {
  readonly #clock: Clock;
  readonly #lately = new Map<`${string} ${Room}`, Set<string>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  take({ event, room, userId }: Moment): boolean {
    const { pace } = volatileEvents[event];
    const key = `${event} ${room}` as const;
    const lately = this.#lately.get(key) ?? new Set();
    if (lately.has(userId) || lately.size >= pace.people) return false;
    lately.add(userId);
    if (lately.size === 1) {
      this.#lately.set(key, lately);
      this.#clock.after(pace.ms, () => this.#lately.delete(key));
    }
    return true;
  }
}
