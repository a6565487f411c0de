/**
 * The one road out. What is committed is put into one envelope for each room; every node delivers it to its
 * own sockets, gathered over one turn of the event loop and sorted by version, so that a busy room costs one
 * packet a tick and listeners hear everything in order.
 */
import type { App } from './app.ts';
import { attempt } from './command.ts';
import { snapshot } from './database/database.ts';
import { readRoom } from './enter.ts';
import { noteHead } from './heads.ts';
import { depart, readMark, upTo, type Departure, type Mark } from './marks.ts';
import type { Change } from '../shared/changes.ts';
import type { People } from '../shared/people.ts';
import type { Closing } from '../shared/protocol.ts';
import type { PresenceMap } from '../shared/presence.ts';
import { serverRoom, userRoom, type Room } from '../shared/rooms.ts';

/** The changes of one room by one commit: versions `from + 1` to `to`. */
export interface Envelope {
  room: Room;
  from: number;
  to: number;
  changes: Change[];
  people: People;
  /** The departures that came before: nobody hears this who is among them. */
  mark?: Mark | undefined;
}

/** What waits for the end of the tick, or for its predecessor. */
export interface Outbox {
  waiting: Map<Room, Envelope[]>;
  scheduled: boolean;
}

export const newOutbox = (): Outbox => ({ waiting: new Map(), scheduled: false });

/** How long a change waits for its predecessor, whose commit is already done but whose turn here is not. */
const patience = 200;

/** Tells what has been committed: who is out first, then what happened. Never before the commit. */
export function publish(app: App, envelopes: Envelope[], departures: Departure[] = []): void {
  for (const departure of departures) depart(app, departure);
  for (const envelope of envelopes) void attempt(app, 'deliver', () => deliver(app, envelope));
}

/** Puts an envelope into the tick, once everyone who left before it is out. If that cannot be known, nobody hears it. */
async function deliver(app: App, envelope: Envelope): Promise<void> {
  if (envelope.mark !== undefined) await upTo(app, envelope.mark);
  const { waiting } = app.outbox;
  waiting.set(envelope.room, [...(waiting.get(envelope.room) ?? []), envelope]);
  schedule(app);
}

function schedule(app: App): void {
  if (app.outbox.scheduled) return;
  app.outbox.scheduled = true;
  setImmediate(() => {
    app.outbox.scheduled = false;
    for (const room of [...app.outbox.waiting.keys()]) flush(app, room);
  });
}

/** Emits the room's contiguous run; keeps back what comes after a hole, for a while. */
function flush(app: App, room: Room): void {
  const all = app.outbox.waiting.get(room) ?? [];
  app.outbox.waiting.delete(room);
  // Nobody here listens: there is nothing to keep in order.
  if (!app.io.of('/').adapter.rooms.has(room)) {
    app.heads.delete(room);
    return;
  }
  const known = app.heads.get(room)?.version ?? 0;
  const fresh = all.filter(({ to }) => to > known).sort((a, b) => a.from - b.from);
  const run = contiguous(fresh, known);
  if (run.length > 0) emit(app, room, run);
  const rest = fresh.slice(run.length);
  if (rest.length > 0) holdBack(app, room, rest);
}

/** Those at the beginning that follow on `known`, and each on the one before. */
function contiguous(envelopes: Envelope[], known: number): Envelope[] {
  let at = known;
  const end = envelopes.findIndex(({ from, to }) => {
    const follows = from <= at;
    at = to;
    return !follows;
  });
  return end === -1 ? envelopes : envelopes.slice(0, end);
}

function emit(app: App, room: Room, run: Envelope[]): void {
  const from = run[0]?.from ?? 0;
  const to = run.at(-1)?.to ?? 0;
  noteHead(app, room, to);
  app.io.local.to(room).emit('changes', {
    room,
    from,
    to,
    changes: run.flatMap((envelope) => envelope.changes),
    people: Object.assign({}, ...run.map((envelope) => envelope.people)) as People,
  });
}

function holdBack(app: App, room: Room, envelopes: Envelope[]): void {
  app.outbox.waiting.set(room, [...envelopes, ...(app.outbox.waiting.get(room) ?? [])]);
  setTimeout(() => void attempt(app, 'fill', () => fill(app, room)), patience).unref();
}

/** The predecessor did not come: it is read once for all who listen here, so that not each of them asks. */
async function fill(app: App, room: Room): Promise<void> {
  const known = app.heads.get(room)?.version;
  const first = app.outbox.waiting.get(room)?.find(({ to }) => to > (known ?? 0));
  if (first === undefined || known === undefined || first.from <= known) return;
  const scope = first.mark?.scope;
  const { entry, mark } = await snapshot(app.db, async (db) => ({
    entry: await readRoom(db, room, known),
    mark: scope === undefined ? undefined : await readMark(db, scope),
  }));
  if (entry.status === 'changes') {
    const { from, version: to, changes, people } = entry;
    await deliver(app, { room, from, to, changes, people, mark });
  } else if (entry.status === 'snapshot') {
    tellHead(app, room, entry.version);
    schedule(app);
  }
}

/** Says how far a room is to those who may be behind: they ask for what is missing. */
export function tellHead(app: App, room: Room, version: number): void {
  noteHead(app, room, version);
  app.io.local.to(room).emit('head', { room, version });
}

/** Takes somebody's sockets, or everybody's, out of rooms, and tells each that it was. */
export function moveOut(app: App, rooms: Room[], userId?: string): void {
  for (const room of rooms) {
    for (const id of [...(app.io.of('/').adapter.rooms.get(room) ?? [])]) {
      const socket = app.io.of('/').sockets.get(id);
      if (socket === undefined || (userId !== undefined && !socket.rooms.has(userRoom(userId))))
        continue;
      void socket.leave(room);
      socket.emit('head', { room, version: null });
    }
  }
}

/** Says who is online now, to those in the server’s room. Lossy: a later word replaces it. */
export function tellPresence(app: Pick<App, 'io'>, serverId: string, users: PresenceMap): void {
  const room = serverRoom(serverId);
  app.io.local.to(room).emit('presence', { room, users });
}

/** Says that people have changed, to those in servers with them. Lossy: rows bring people along, too. */
export function tellPeople(app: Pick<App, 'io'>, people: People, serverIds: string[]): void {
  if (serverIds.length > 0) app.io.local.to(serverIds.map(serverRoom)).emit('people', { people });
}

/** Closes the sockets of ended sessions, with the reason. */
export function closeSessions(app: App, sessionIds: string[], closing: Closing): void {
  const rooms = sessionIds.map(sessionRoom);
  if (rooms.length === 0) return;
  app.io.local.to(rooms).emit('closing', closing);
  app.io.local.in(rooms).disconnectSockets(true);
}

/** By the public id: room names travel, cookies must not. */
export const sessionRoom = (sessionId: string) => `session:${sessionId}`;
