/** How far each room has been told to the sockets of this node, and when to compare that with the database. */
import type { Room } from '../../shared/rooms.ts';
import type { Clock } from '../node/clock.ts';
import type { Sockets } from './sockets.ts';

/** Times are milliseconds of a clock that nobody sets. */
interface ToldVersion {
  version: number;
  due: number;
  /** The latest time of the next comparison, however much happens in the room until then. */
  deadline: number;
  /** The last comparison found this node behind; what was missing may just have been on its way. */
  behind: boolean;
}

/** After a join, and after a burst has ended: the likeliest moments to have missed something. */
const soonMs = 2_000;
const laterMs = () => 20_000 * (0.7 + 0.6 * Math.random());

interface Needs {
  clock: Clock;
  sockets: Sockets;
}

export class RoomVersions {
  readonly #clock: Clock;
  readonly #sockets: Sockets;
  readonly #rooms = new Map<Room, ToldVersion>();

  constructor({ clock, sockets }: Needs) {
    this.#clock = clock;
    this.#sockets = sockets;
  }

  of(room: Room): number | undefined {
    return this.#rooms.get(room)?.version;
  }

  /** Records that the room's sockets here have been told up to this version. */
  record(room: Room, version: number): void {
    const told = this.#rooms.get(room);
    const now = this.#clock.now();
    const due = now + soonMs;
    if (told === undefined)
      this.#rooms.set(room, { version, due, deadline: now + laterMs(), behind: false });
    else if (version > told.version)
      Object.assign(told, { version, due: Math.min(due, told.deadline), behind: false });
  }

  /** Schedules a comparison for a socket that is about to join at this version. Sockets already in may have been told less. */
  scheduleCheck(room: Room, version: number): void {
    // While nobody listened nothing was told: what is known is of before.
    if (!this.#sockets.hasAny(room)) this.#rooms.delete(room);
    const told = this.#rooms.get(room);
    if (told === undefined) this.record(room, version);
    // A room that people enter all the time must be compared all the same.
    else told.due = Math.min(told.due, this.#clock.now() + soonMs);
  }

  /** Every room is due now: this node was away, and may have missed anything. A room that is overdue keeps its place. */
  recheckAll(): void {
    const now = this.#clock.now();
    for (const told of this.#rooms.values()) told.due = Math.min(told.due, now);
  }

  /** The rooms that are due, the longest overdue first. Forgets rooms without a socket here. */
  due(most: number): Room[] {
    const now = this.#clock.now();
    const due: [Room, ToldVersion][] = [];
    for (const [room, told] of this.#rooms) {
      if (!this.#sockets.hasAny(room)) this.#rooms.delete(room);
      else if (told.due <= now) due.push([room, told]);
    }
    if (due.length > most) due.sort(([, a], [, b]) => a.due - b.due);
    return due.slice(0, most).map(([room]) => room);
  }

  /** A comparison found the room up to date. */
  confirm(room: Room): void {
    const told = this.#rooms.get(room);
    const next = this.#clock.now() + laterMs();
    if (told) Object.assign(told, { behind: false, due: next, deadline: next });
  }

  /** A comparison found the room behind. True if the one before did, too. */
  confirmBehind(room: Room): boolean {
    const told = this.#rooms.get(room);
    if (told === undefined) return false;
    if (told.behind) return true;
    Object.assign(told, { behind: true, due: 0 });
    return false;
  }

  forget(room: Room): void {
    this.#rooms.delete(room);
  }

  reset(): void {
    this.#rooms.clear();
  }
}
