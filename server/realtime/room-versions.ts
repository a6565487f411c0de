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

export interface RoomVersions {
  of(room: Room): number | undefined;
  /** Records that the room's sockets here have been told up to this version. */
  record(room: Room, version: number): void;
  /** Schedules a comparison for a socket that is about to join at this version. Sockets already in may have been told less. */
  scheduleCheck(room: Room, version: number): void;
  /** Every room is due now: this node was away, and may have missed anything. A room that is overdue keeps its place. */
  recheckAll(): void;
  /** The rooms that are due, the longest overdue first. Forgets rooms without a socket here. */
  due(most: number): Room[];
  /** A comparison found the room up to date. */
  confirm(room: Room): void;
  /** A comparison found the room behind. True if the one before did, too. */
  confirmBehind(room: Room): boolean;
  forget(room: Room): void;
  reset(): void;
}

/** After a join, and after a burst has ended: the likeliest moments to have missed something. */
const soonMs = 2_000;
const laterMs = () => 20_000 * (0.7 + 0.6 * Math.random());

interface Needs {
  clock: Clock;
  sockets: Sockets;
}

export function openRoomVersions({ clock, sockets }: Needs): RoomVersions {
  const rooms = new Map<Room, ToldVersion>();

  function record(room: Room, version: number) {
    const told = rooms.get(room);
    const now = clock.now();
    if (told === undefined) {
      rooms.set(room, { version, due: now + soonMs, deadline: now + laterMs(), behind: false });
    } else if (version > told.version) {
      const due = Math.min(now + soonMs, told.deadline);
      Object.assign(told, { version, due, behind: false });
    }
  }

  return {
    of: (room) => rooms.get(room)?.version,
    record,
    scheduleCheck(room, version) {
      // While nobody listened nothing was told: what is known is of before.
      if (!sockets.hasAny(room)) rooms.delete(room);
      const told = rooms.get(room);
      if (told === undefined) record(room, version);
      // A room that people enter all the time must be compared all the same.
      else told.due = Math.min(told.due, clock.now() + soonMs);
    },
    recheckAll() {
      const now = clock.now();
      for (const told of rooms.values()) told.due = Math.min(told.due, now);
    },
    due(most) {
      const now = clock.now();
      const due: [Room, ToldVersion][] = [];
      for (const [room, told] of rooms) {
        if (!sockets.hasAny(room)) rooms.delete(room);
        else if (told.due <= now) due.push([room, told]);
      }
      if (due.length > most) due.sort(([, a], [, b]) => a.due - b.due);
      return due.slice(0, most).map(([room]) => room);
    },
    confirm(room) {
      const told = rooms.get(room);
      const next = clock.now() + laterMs();
      if (told) Object.assign(told, { behind: false, due: next, deadline: next });
    },
    confirmBehind(room) {
      const told = rooms.get(room);
      if (told === undefined) return false;
      if (told.behind) return true;
      Object.assign(told, { behind: true, due: 0 });
      return false;
    },
    forget: (room) => void rooms.delete(room),
    reset: () => rooms.clear(),
  };
}
