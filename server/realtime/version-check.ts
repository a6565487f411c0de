/**
 * Noticing a loss. No later event reveals the last one that was lost, so each node remembers how far it has
 * told each room, and now and then compares that with the database. Who is behind is told so, and asks.
 */
import type { App } from '../app.ts';
import type { Room } from '../../shared/rooms.ts';
import { splitRoom } from '../../shared/rooms.ts';
import { every } from '../node/timer.ts';
import type { Stop } from '../node/clock.ts';
import { readVersions } from './subscribe.ts';
import { isHeard, moveOut, tellHead } from './publish.ts';

/** How far a room has been told here, and when to compare next. Times are milliseconds of a clock that nobody sets. */
interface Head {
  version: number;
  due: number;
  /** However much happens there until then. */
  atLatest: number;
  /** The last comparison found us behind; what was missing may just have been on its way. */
  behind: boolean;
}

export type Heads = Map<Room, Head>;

const beat = 1_000;
/** After joining, and after a burst has ended: the likeliest moments to have missed something. */
const soon = 2_000;
const later = () => 20_000 * (0.7 + 0.6 * Math.random());
const mostAtOnce = 2_000;

/** Notes that the room's sockets here have been told up to this version. */
export function noteHead(app: Pick<App, 'heads' | 'clock'>, room: Room, version: number): void {
  const known = app.heads.get(room);
  const now = app.clock.now();
  if (known === undefined) {
    app.heads.set(room, { version, due: now + soon, atLatest: now + later(), behind: false });
  } else if (version > known.version) {
    const due = Math.min(now + soon, known.atLatest);
    Object.assign(known, { version, due, behind: false });
  }
}

/** Somebody is about to listen to a room that was at this version. Those who listen already may be told less yet. */
export function noteListener(
  app: Pick<App, 'heads' | 'io' | 'clock'>,
  room: Room,
  version: number,
): void {
  // While nobody listened nothing was told: what is known is of before.
  if (!isHeard(app, room)) app.heads.delete(room);
  const known = app.heads.get(room);
  if (known === undefined) noteHead(app, room, version);
  // A room that people enter all the time must be compared all the same.
  else known.due = Math.min(known.due, app.clock.now() + soon);
}

/** Everything is to be compared now: the node was away, and may have missed anything. What is overdue keeps its place. */
export function doubtAll(app: Pick<App, 'heads' | 'clock'>): void {
  const now = app.clock.now();
  for (const head of app.heads.values()) head.due = Math.min(head.due, now);
}

export function watchHeads(app: App): Stop {
  let last = app.clock.now();
  return every(app, beat, 'heads', async () => {
    const now = app.clock.now();
    // A node that was frozen, whose event loop stood still, or that does not hear the others.
    if (now - last > 2 * beat || !app.cluster.hears()) doubtAll(app);
    last = now;
    await compare(app, app.clock.now());
  });
}

async function compare(app: App, now: number): Promise<void> {
  const rooms = dueRooms(app, now);
  if (rooms.length === 0) return;
  const versions = await readVersions(
    app.db,
    rooms.map((room) => splitRoom(room).id),
  );
  for (const room of rooms) judge(app, room, versions.get(splitRoom(room).id));
}

/** The rooms that have been due for longest: when there are more than one query takes, each gets its turn. */
function dueRooms(app: App, now: number): Room[] {
  const due: [Room, Head][] = [];
  for (const [room, head] of app.heads) {
    if (!isHeard(app, room)) app.heads.delete(room);
    else if (head.due <= now) due.push([room, head]);
  }
  if (due.length > mostAtOnce) due.sort(([, a], [, b]) => a.due - b.due);
  return due.slice(0, mostAtOnce).map(([room]) => room);
}

function judge(app: App, room: Room, version: number | undefined): void {
  const head = app.heads.get(room);
  if (version === undefined) return moveOut(app, [room]);
  if (head === undefined) return;
  if (version <= head.version) {
    const next = app.clock.now() + later();
    Object.assign(head, { behind: false, due: next, atLatest: next });
  } else if (head.behind) {
    app.metrics.losses.inc();
    tellHead(app, room, version);
  } else Object.assign(head, { behind: true, due: 0 });
}
