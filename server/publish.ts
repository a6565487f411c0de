/**
 * The one road out. What is committed is put into one envelope for each room; every node delivers it to its
 * own sockets, gathered over one turn of the event loop and sorted by version, so that a busy room costs one
 * packet a tick and listeners hear everything in order.
 */
import type { App } from './app.ts';
import { attempt } from './command.ts';
import { depart, upTo, type Departure, type Mark } from './marks.ts';
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

/** What waits for the end of the tick, and how far each room has been told. */
export interface Outbox {
  waiting: Map<Room, Envelope[]>;
  told: Map<Room, { version: number; at: number }>;
  scheduled: boolean;
}

export const newOutbox = (): Outbox => ({ waiting: new Map(), told: new Map(), scheduled: false });

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
  const { waiting, told } = app.outbox;
  const envelopes = (waiting.get(room) ?? []).sort((a, b) => a.from - b.from);
  waiting.delete(room);
  const first = envelopes[0];
  if (first === undefined) return;
  // Nobody here listens: there is nothing to keep in order.
  if (!app.io.of('/').adapter.rooms.has(room)) return void told.delete(room);
  const known = told.get(room)?.version ?? first.from;
  if (first.from > known) return holdBack(app, room, envelopes);
  const run = contiguous(envelopes);
  const last = run[run.length - 1] ?? first;
  told.set(room, { version: last.to, at: Date.now() });
  app.io.local.to(room).emit('changes', {
    room,
    from: first.from,
    to: last.to,
    changes: run.flatMap((envelope) => envelope.changes),
    people: Object.assign({}, ...run.map((envelope) => envelope.people)) as People,
  });
  const rest = envelopes.slice(run.length);
  if (rest.length > 0) holdBack(app, room, rest);
}

function contiguous(envelopes: Envelope[]): Envelope[] {
  const end = envelopes.findIndex((envelope, i) => i > 0 && envelope.from !== envelopes[i - 1]?.to);
  return end === -1 ? envelopes : envelopes.slice(0, end);
}

function holdBack(app: App, room: Room, envelopes: Envelope[]): void {
  app.outbox.waiting.set(room, [...envelopes, ...(app.outbox.waiting.get(room) ?? [])]);
  setTimeout(() => {
    // Whoever is behind asks again, by its own version.
    const first = app.outbox.waiting.get(room)?.[0];
    if (first === undefined) return;
    app.outbox.told.delete(room);
    flush(app, room);
  }, patience).unref();
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
