/** The version that this node has sent to each room's sockets, and when to compare it with the database. */
import type { Room } from '../../shared/rooms.ts';
import type { Clock } from '../node/clock.ts';
import type { Sockets } from './sockets.ts';

/** Times are in milliseconds of a monotonic clock. */
interface PublishedVersion {
  version: number;
  due: number;
  /** The latest time of the next comparison, even if the room stays busy. */
  deadline: number;
  /** The last comparison found this node behind. The missing changes may have been in transit. */
  behind: boolean;
}

/** After a join or a burst, when a loss is most likely. */
const soonMs = 2_000;
const laterMs = () => 20_000 * (0.7 + 0.6 * Math.random());

interface Needs {
  clock: Clock;
  sockets: Sockets;
}

export class RoomVersions {
  readonly #clock: Clock;
  readonly #sockets: Sockets;
  readonly #rooms = new Map<Room, PublishedVersion>();

  constructor({ clock, sockets }: Needs) {
    this.#clock = clock;
    this.#sockets = sockets;
  }

  of(room: Room): number | undefined {
    return this.#rooms.get(room)?.version;
  }

  record(room: Room, version: number): void {
    const published = this.#rooms.get(room);
    const now = this.#clock.now();
    const due = now + soonMs;
    if (published === undefined)
      this.#rooms.set(room, { version, due, deadline: now + laterMs(), behind: false });
    else if (version > published.version)
      Object.assign(published, { version, due: Math.min(due, published.deadline), behind: false });
  }

  /** Schedules a comparison for a socket that joins at this version. Sockets in the room may be behind it. */
  scheduleCheck(room: Room, version: number): void {
    // Without sockets in the room nothing was sent, so the known version is out of date.
    if (!this.#sockets.hasAny(room)) this.#rooms.delete(room);
    const published = this.#rooms.get(room);
    if (published === undefined) this.record(room, version);
    // Never later than planned, so that a room with constant joins is compared, too.
    else published.due = Math.min(published.due, this.#clock.now() + soonMs);
  }

  /** Makes every room due now, because this node may have missed changes. Overdue rooms keep their place. */
  recheckAll(): void {
    const now = this.#clock.now();
    for (const published of this.#rooms.values()) published.due = Math.min(published.due, now);
  }

  /** Returns up to `limit` due rooms, the longest overdue. Forgets rooms without a socket here. */
  due(limit: number): Room[] {
    const now = this.#clock.now();
    const due: [Room, PublishedVersion][] = [];
    for (const [room, published] of this.#rooms) {
      if (!this.#sockets.hasAny(room)) this.#rooms.delete(room);
      else if (published.due <= now) due.push([room, published]);
    }
    if (due.length > limit) due.sort(([, a], [, b]) => a.due - b.due);
    return due.slice(0, limit).map(([room]) => room);
  }

  confirm(room: Room): void {
    const published = this.#rooms.get(room);
    const next = this.#clock.now() + laterMs();
    if (published) Object.assign(published, { behind: false, due: next, deadline: next });
  }

  /** Records that a comparison found the room behind. True if the previous one did, too. */
  confirmBehind(room: Room): boolean {
    const published = this.#rooms.get(room);
    if (published === undefined) return false;
    if (published.behind) return true;
    Object.assign(published, { behind: true, due: 0 });
    return false;
  }

  forget(room: Room): void {
    this.#rooms.delete(room);
  }

  reset(): void {
    this.#rooms.clear();
  }
}
