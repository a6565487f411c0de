/**
 * Access marks: how a node knows, at the moment of delivery, that nobody in a room has lost their right to
 * it. Each server counts its departures; the count travels with everything that is told. Whoever delivers
 * something newer than the departures they know of reads those first. The truth is in PostgreSQL, so this
 * holds whatever becomes of the connections between nodes.
 */
import type { App } from './app.ts';
import { notFound } from '../shared/failure.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import { attempt } from './command.ts';
import { query, type Db } from './database/database.ts';
import { admissions } from './features.ts';
import type { Departure, Mark } from './parcels.ts';
import { moveOut, socketsIn } from './publish.ts';

/** Where one hears of a server's timelines without having joined them. It has no version and no state. */
export type ActivityRoom = `activity:${string}`;
/** All that one can be moved out of. */
export type Place = Room | ActivityRoom;

export const activityRoom = (serverId: string): ActivityRoom => `activity:${serverId}`;
export const isRoom = (place: Place): place is Room => !place.startsWith('activity:');

/** What this node knows of each server in whose places it has sockets. */
interface Known {
  version: number;
  places: Set<Place>;
  catchingUp?: Promise<void> | undefined;
}

export type Marks = Map<string, Known>;

/**
 * Notes that a socket is about to join a place by a right that was read together with `mark`. False if this
 * node knows of later departures, one of which may be that very person's: then the right is to be read again.
 */
export function noteJoin(app: App, place: Place, mark: Mark): boolean {
  const known = app.marks.get(mark.scope);
  if (known === undefined) {
    app.marks.set(mark.scope, { version: mark.version, places: new Set([place]) });
    return true;
  }
  if (known.version > mark.version) return false;
  known.places.add(place);
  return true;
}

/** How many departures a server has had, at the moment of this snapshot. */
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
  known.catchingUp ??= catchUp(app, mark.scope, known).finally(() => {
    known.catchingUp = undefined;
  });
  await known.catchingUp;
  // What was read may have been of a moment before.
  return upTo(app, mark);
}

/** Carries out what is heard of a departure: at once if it is the next one, else by reading what is missing. */
export function depart(app: App, departure: Departure): void {
  const known = app.marks.get(departure.scope);
  if (known === undefined || known.version >= departure.version) return;
  if (known.version === departure.version - 1) {
    known.version = departure.version;
    moveOut(app, departure.rooms ?? [...known.places], departure.userId);
  } else void attempt(app, 'departure', () => upTo(app, departure));
}

async function catchUp(app: App, scope: string, known: Known): Promise<void> {
  const since = known.version;
  const departures = await query<{ version: number; userId: string | null }>(
    app.db,
    `select access_version as version, user_id as "userId" from revocations
     where scope = $1 and access_version > $2 order by access_version`,
    [scope, since],
  );
  const last = departures.at(-1)?.version ?? since;
  const named = departures.every(({ userId }) => userId !== null);
  // A version may be missing only because it was long ago: then nobody's right is taken for granted.
  if (named && departures.length === last - since)
    for (const { userId } of departures) moveOut(app, [...known.places], userId ?? undefined);
  else await checkEveryone(app, known);
  known.version = Math.max(known.version, last);
}

async function checkEveryone(app: App, { places }: Known): Promise<void> {
  for (const place of places) {
    const { kind, id } = splitRoom(place);
    for (const { data } of socketsIn(app, place)) {
      const right = await attempt(app, 'check', () => admissions[kind](app.db, data.caller, id));
      if (right.ok) continue;
      if (right.error.retryable) throw new Error('rights cannot be read now');
      moveOut(app, [place], data.caller.user.id);
    }
  }
}
