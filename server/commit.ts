/**
 * How rooms change: lock (locks.ts says in which order), run, number the changes, commit, and only then tell.
 * What changes in a timeline goes by messages/writer.ts, which does the same for many at once.
 */
import type { App } from './app.ts';
import type { Change } from '../shared/changes.ts';
import { conflict, notFound } from '../shared/failure.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import { query, transaction, type Db } from './database/database.ts';
import { stubbornly } from './database/retry.ts';
import { lockRooms, lockServers, type Rights } from './locks.ts';
import { peopleIn } from './accounts/people.ts';
import { moveOut, publish, type Departure, type Envelope } from './publish.ts';

export interface Locks extends Rights {
  /** The rooms that will change; asked for once the advisory locks are held. */
  rooms: Room[] | ((db: Db) => Promise<Room[]>);
}

/** A transaction under way, with its rooms locked. */
export interface Work {
  db: Db;
  /** Makes a room; it counts as locked. Throws conflict if its id is another's. */
  create(room: Room): Promise<void>;
  /** The version that the next change of this room has: to be written into the row that changes. */
  next(room: Room): number;
  /** Says what happened, for everyone in the room to hear after the commit. */
  tell(room: Room, change: Change): void;
  /** Who is in these rooms no longer, once this is committed: one person, or everyone when the rooms are no more. */
  moveOut(departure: Departure): void;
}

/** Runs `work` and returns what it returned, when it is durable. Publishes what it told. */
export const commit = <T>(app: App, locks: Locks, work: (work: Work) => Promise<T>): Promise<T> =>
  stubbornly(() => attemptOnce(app, locks, work));

async function attemptOnce<T>(
  app: App,
  locks: Locks,
  work: (work: Work) => Promise<T>,
): Promise<T> {
  const { result, envelopes, departures } = await transaction(app.db, async (db) => {
    await lockServers(db, locks);
    const rooms = typeof locks.rooms === 'function' ? await locks.rooms(db) : locks.rooms;
    const locked = await lockRooms(db, rooms.map(idOf));
    const versions = new Map<Room, number>();
    for (const room of rooms) {
      const row = locked.get(idOf(room));
      if (row !== undefined) versions.set(room, row.version);
    }
    const before = new Map(versions);
    const told = new Map<Room, Change[]>();
    const departures: Departure[] = [];
    const result = await work({
      db,
      async create(room) {
        const { kind, id } = splitRoom(room);
        const taken = await query(db, 'select id from rooms where id = $1', [id]);
        if (taken.length > 0) throw conflict('This id is taken.');
        const made = await query(
          db,
          'insert into rooms (id, kind) values ($1, $2) on conflict do nothing returning id',
          [id, kind],
        );
        if (made.length === 0) throw conflict('This id is taken.');
        versions.set(room, 0);
        before.set(room, 0);
      },
      next(room) {
        const version = versions.get(room);
        // A room that is gone is something to answer for, not to write to.
        if (version === undefined) throw notFound();
        versions.set(room, version + 1);
        return version + 1;
      },
      tell: (room, change) => void told.set(room, [...(told.get(room) ?? []), change]),
      moveOut: (departure) => void departures.push(departure),
    });
    await writeVersions(db, before, versions);
    const envelopes: Envelope[] = [];
    for (const [room, changes] of told) {
      const from = before.get(room) ?? 0;
      const people = await peopleIn(db, changes);
      envelopes.push({ room, from, to: from + changes.length, changes, people });
    }
    return { result, envelopes, departures };
  });
  // Committed. Who left hears nothing of what follows.
  for (const departure of departures) moveOut(app, departure);
  publish(app, envelopes);
  return result;
}

const idOf = (room: Room) => splitRoom(room).id;

async function writeVersions(db: Db, before: Map<Room, number>, after: Map<Room, number>) {
  const moved = [...after].filter(([room, version]) => version !== before.get(room));
  if (moved.length === 0) return;
  await query(
    db,
    `update rooms set version = moved.version
     from unnest($1::uuid[], $2::bigint[]) as moved (id, version) where rooms.id = moved.id`,
    [moved.map(([room]) => idOf(room)), moved.map(([, version]) => version)],
  );
}
