/**
 * Access marks: how a node knows, at the moment of delivery, that nobody in a room has lost their right to
 * it. Each server counts its departures; the count travels with everything that is told. Whoever delivers
 * something newer than the departures they know of reads those first. The truth is in PostgreSQL, so this
 * holds whatever becomes of the connections between nodes.
 */
import type { App } from './app.ts';
import { notFound } from '../shared/failure.ts';
import { splitRoom, type Room } from '../shared/rooms.ts';
import { attempt, type ChatSocket } from './command.ts';
import { query, type Db } from './database/database.ts';
import { admissions } from './features.ts';
import { moveOut } from './publish.ts';

/** The server whose departures concern a room, and how many there have been. */
export interface Mark {
  scope: string;
  version: number;
}

/** Somebody who is in a server no longer; or, without a `userId`, rooms of it that are no more. */
export interface Departure extends Mark {
  userId?: string;
  rooms?: Room[];
}

/** What this node knows of each server in whose rooms it has sockets. */
interface Known {
  version: number;
  rooms: Set<Room>;
  catchingUp?: Promise<void> | undefined;
}

export type Marks = Map<string, Known>;

/**
 * Notes that a socket is about to join `room` by a right that was read together with `mark`. False if this
 * node knows of later departures, one of which may be that very person's: then the right is to be read again.
 */
export function noteJoin(app: App, room: Room, mark: Mark): boolean {
  const known = app.marks.get(mark.scope);
  if (known === undefined) {
    app.marks.set(mark.scope, { version: mark.version, rooms: new Set([room]) });
    return true;
  }
  if (known.version > mark.version) return false;
  known.rooms.add(room);
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
    moveOut(app, departure.rooms ?? [...known.rooms], departure.userId);
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
    for (const { userId } of departures) moveOut(app, [...known.rooms], userId ?? undefined);
  else await checkEveryone(app, known);
  known.version = Math.max(known.version, last);
}

async function checkEveryone(app: App, { rooms }: Known): Promise<void> {
  for (const room of rooms) {
    const { kind, id } = splitRoom(room);
    for (const socket of socketsIn(app, room)) {
      const right = await attempt(app, 'check', () =>
        admissions[kind](app.db, socket.data.caller, id),
      );
      if (right.ok) continue;
      if (right.error.retryable) throw new Error('rights cannot be read now');
      moveOut(app, [room], socket.data.caller.user.id);
    }
  }
}

const socketsIn = (app: App, room: Room): ChatSocket[] =>
  [...(app.io.of('/').adapter.rooms.get(room) ?? [])].flatMap(
    (id) => app.io.of('/').sockets.get(id) ?? [],
  );

const everyMs = 1_000;

/** Reads once a second what departed in the last minute; commits may become visible out of order. */
export function pollRevocations(app: App): NodeJS.Timeout {
  return setInterval(() => {
    void attempt(app, 'revocations', async () => {
      const latest = await query<Mark>(
        app.db,
        `select scope, max(access_version) as version from revocations
         where at > clock_timestamp() - interval '60 seconds' group by scope`,
      );
      await Promise.all(latest.map((mark) => upTo(app, mark)));
    });
  }, everyMs).unref();
}
