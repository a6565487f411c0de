/**
 * Access marks: how a node knows, at the moment of delivery, that nobody in a room has lost their right to
 * it. Each server counts its departures, and so does each conversation; the count travels with everything that is told. Whoever delivers
 * something newer than the departures they know of reads those first. The truth is in PostgreSQL, so this
 * holds whatever becomes of the connections between nodes.
 */
import type { App } from '../app.ts';
import { notFound } from '../../shared/failure.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { attempt } from '../node/attempt.ts';
import { query, snapshot, type Db } from '../database/database.ts';
import { admissions } from '../features.ts';
import type { Departure, Mark } from './node-messages.ts';
import { isHeard, moveOut, socketsIn, tellEnd } from './publish.ts';

/** Where one hears of a server's timelines without having joined them. It has no version and no state. */
export type ActivityRoom = `activity:${string}`;
/** All that one can be moved out of. */
export type Place = Room | ActivityRoom;

export const activityRoom = (serverId: string): ActivityRoom => `activity:${serverId}`;
/** Whether departures concern this room alone: then it is a conversation’s. */
export const isOwnScope = (room: Room, scope: string): boolean => splitRoom(room).id === scope;
export const isRoom = (place: Place): place is Room => !place.startsWith('activity:');

/** What this node knows of each server or conversation in whose places it has sockets. */
interface Known {
  version: number;
  places: Set<Place>;
  /** Rooms of it that are no more, or not for everybody, and since which departure: what was said before may still be on its way here. */
  closed: Map<Room, number>;
  /** Which of those were known at the last `forgetUnheard`: up to this departure. */
  closedBefore: number;
  catchingUp?: Promise<void> | undefined;
}

export type Marks = Map<string, Known>;

/**
 * Notes that a socket is about to join a place by a right that was read together with `mark`. False if this
 * node has carried out other departures than that right knows of: later ones, one of which may be that very
 * person's, or fewer, one of which this person has come back from and would be taken out by again. Then bring
 * the node `upTo` the mark, and read the right again.
 */
export function noteJoin(app: App, place: Place, mark: Mark): boolean {
  const known = app.marks.get(mark.scope);
  if (known === undefined) {
    app.marks.set(mark.scope, {
      version: mark.version,
      places: new Set([place]),
      closed: new Map(),
      closedBefore: 0,
    });
    return true;
  }
  // While this node reads who left, nobody comes in of whom it would not have been read.
  if (known.version !== mark.version || known.catchingUp !== undefined) return false;
  known.places.add(place);
  return true;
}

/** How many departures a scope has had, at the moment of this snapshot. */
export async function readMark(db: Db, scope: string): Promise<Mark> {
  const [mark] = await readMarks(db, [scope]);
  if (mark === undefined) throw notFound();
  return mark;
}

export const readMarks = (db: Db, scopes: string[]): Promise<Mark[]> =>
  query(db, 'select id as scope, access_version as version from rooms where id = any($1::uuid[])', [
    scopes,
  ]);

/** Resolves when every departure up to `mark` has been carried out here. Rejects if that cannot be known. */
export async function upTo(app: App, mark: Mark): Promise<void> {
  const known = app.marks.get(mark.scope);
  if (known === undefined || known.version >= mark.version) return;
  // Others may wait for the same: it is the node's work, not the share of whoever came first.
  known.catchingUp ??= catchUp(app.whole, mark.scope, known).finally(() => {
    known.catchingUp = undefined;
  });
  await known.catchingUp;
  // What was read may have been of a moment before.
  return upTo(app, mark);
}

/** Whether a room has been closed since what was committed under this mark. */
export const isClosed = (app: App, { scope, version }: Mark, room: Room): boolean =>
  version < (app.marks.get(scope)?.closed.get(room) ?? 0);

/** Carries out what is heard of a departure: at once if it is the next one, else by reading what is missing. */
export function depart(app: App, departure: Departure): void {
  const known = app.marks.get(departure.scope);
  if (known === undefined || known.version >= departure.version) return;
  if (known.version === departure.version - 1) {
    known.version = departure.version;
    if (departure.userId === undefined) close(app, known, departure);
    moveOut(app, departure.rooms ?? [...known.places], departure);
  } else void attempt(app, 'departure', () => upTo(app, departure));
}

function close(app: App, { closed }: Known, departure: Departure): void {
  const { scope, version, rooms = [], stay = [], quiet = false } = departure;
  for (const room of rooms) closed.set(room, version);
  if (rooms.length > 0 && !quiet) tellEnd(app, scope, rooms, stay);
}

async function catchUp(app: App, scope: string, known: Known): Promise<void> {
  const since = known.version;
  const { now, departures } = await snapshot(app.db, async (db) => ({
    now: (await readMarks(db, [scope]))[0]?.version,
    departures: await readDepartures(db, scope, since),
  }));
  if (now === undefined) {
    // It is no more, and nobody is in it.
    moveOut(app, [...known.places]);
    app.marks.delete(scope);
    return;
  }
  // Some may be missing because they were long ago: then nobody's right is taken for granted.
  const isComplete = departures.length === now - since;
  const crowds = isComplete
    ? departures.filter(({ userId }) => userId === null)
    : [{ rooms: null }];
  for (const { rooms } of crowds) await checkEveryone(app, rooms ?? known.places);
  // Those carried out while this was being read are over: their people may have come back.
  for (const { version, userId, rooms } of departures)
    if (userId !== null && version > known.version)
      moveOut(app, rooms ?? [...known.places], { userId });
  known.version = Math.max(known.version, now);
}

const readDepartures = (db: Db, scope: string, since: number) =>
  query<{ version: number; userId: string | null; rooms: Room[] | null }>(
    db,
    `select access_version as version, user_id as "userId", rooms from revocations
     where scope = $1 and access_version > $2 order by access_version`,
    [scope, since],
  );

async function checkEveryone(app: App, places: Iterable<Place>): Promise<void> {
  for (const place of places) {
    const { kind, id } = splitRoom(place);
    for (const { data } of socketsIn(app, place)) {
      const right = await attempt(app, 'check', () => admissions[kind](app.db, data.caller, [id]));
      if (right.ok && right.value.has(id)) continue;
      if (!right.ok && right.error.retryable) throw new Error('rights cannot be read now');
      moveOut(app, [place], { userId: data.caller.user.id });
    }
  }
}

/** Forgets scopes that nobody here hears of any more, and rooms that had been closed when this was called before. */
export function forgetUnheard(app: App): void {
  for (const [scope, known] of app.marks) {
    const { places, closed } = known;
    for (const [room, version] of closed) if (version <= known.closedBefore) closed.delete(room);
    known.closedBefore = known.version;
    for (const place of places) if (!isHeard(app, place)) places.delete(place);
    if (places.size === 0) app.marks.delete(scope);
  }
}
