/**
 * How what was committed reaches the sockets of one node: once everybody who left before it is out, gathered
 * over one turn of the event loop and sorted by version. So a busy room costs one packet a tick, and
 * listeners hear everything in order, whichever node it came from.
 */
import { noteActivity } from './activity.ts';
import type { App } from '../app.ts';
import { attempt } from '../node/attempt.ts';
import { snapshot } from '../database/database.ts';
import { readChanges, readVersion } from './subscribe.ts';
import { activityRoom, isOwnScope, readMark, upTo } from './access-version.ts';
import type { Envelope } from './node-messages.ts';
import { isHeard, tellChanges, tellHead } from './publish.ts';
import type { Change } from '../../shared/changes.ts';
import type { People } from '../../shared/people.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';

/** What waits for the end of the tick, or for its predecessor. */
export interface Outbox {
  waiting: Map<Room, Envelope[]>;
  /** The holes that are waited for, or being filled: the version before each. */
  holes: Map<Room, number>;
  scheduled: boolean;
}

export const newOutbox = (): Outbox => ({
  waiting: new Map(),
  holes: new Map(),
  scheduled: false,
});

/** How long a change waits for its predecessor, whose commit is already done but whose turn here is not. */
const patience = 200;

/** Puts an envelope into the tick, once everyone who left before it is out. If that cannot be known, nobody hears it. */
export async function deliver(app: App, envelope: Envelope): Promise<void> {
  const { room, mark, said } = envelope;
  const { epoch } = app.instance;
  const isBadge = said !== undefined && mark !== undefined && mayBeListed(app, room, mark.scope);
  if (!isBadge && !isHeard(app, room)) return;
  // What needs no waiting waits as long, so that what one commit did in two rooms is told in its order.
  await (mark && upTo(app, mark));
  // Meanwhile the database may have become another.
  if (app.instance.epoch !== epoch) return;
  if (isBadge) noteActivity(app, mark, room, said);
  const { waiting } = app.outbox;
  waiting.set(room, [...(waiting.get(room) ?? []), envelope]);
  schedule(app);
}

/** Whether anybody here may have the timeline on their list. In whose lists a conversation is, only the database knows. */
const mayBeListed = (app: App, room: Room, scope: string) =>
  isOwnScope(room, scope) || isHeard(app, activityRoom(scope));

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
  if (!isHeard(app, room)) {
    app.heads.delete(room);
    return;
  }
  const known = app.heads.get(room)?.version ?? 0;
  const fresh = all.filter(({ to }) => to > known).sort((a, b) => a.from - b.from);
  const run = contiguous(fresh, known);
  const at = run.at(-1)?.to ?? known;
  if (run.some(({ anew }) => anew)) tellHead(app, room, at);
  else if (run.length > 0) tellChanges(app, joined(room, known, run));
  const early = fresh.filter(({ to }) => to > at);
  if (early.length > 0) holdBack(app, room, early, at);
}

/** Those that follow on `known` one after the other; none that brings nothing more. */
function contiguous(envelopes: Envelope[], known: number): Envelope[] {
  const run: Envelope[] = [];
  let at = known;
  for (const envelope of envelopes) {
    if (envelope.from > at) break;
    if (envelope.to <= at) continue;
    run.push(envelope);
    at = envelope.to;
  }
  return run;
}

/** One stretch from `known` on. What was read to fill a hole may overlap with what came after all. */
function joined(room: Room, known: number, run: Envelope[]): RoomChanges {
  const changes: Change[] = [];
  let at = known;
  for (const envelope of run) {
    for (const change of envelope.changes) if (change.version > at) changes.push(change);
    at = envelope.to;
  }
  const people = Object.assign({}, ...run.map(({ people }) => people)) as People;
  return { room, from: known, to: at, changes, people };
}

/** However much waits for the same predecessor, it is missed once. */
function holdBack(app: App, room: Room, envelopes: Envelope[], known: number): void {
  const { waiting, holes } = app.outbox;
  waiting.set(room, [...envelopes, ...(waiting.get(room) ?? [])]);
  if (holes.get(room) === known) return;
  holes.set(room, known);
  setTimeout(() => {
    void attempt(app, 'fill', () => fill(app, room, known)).then(() => {
      if (holes.get(room) === known) holes.delete(room);
    });
  }, patience).unref();
}

/** If the predecessor has not come, it is read once for all who listen here, so that not each of them asks. */
async function fill(app: App, room: Room, known: number): Promise<void> {
  // It came, or nobody listens any more.
  if (app.heads.get(room)?.version !== known) {
    schedule(app);
    return;
  }
  const scope = app.outbox.waiting.get(room)?.find(({ to }) => to > known)?.mark?.scope;
  const { version, missed, mark } = await snapshot(app.db, async (db) => ({
    version: await readVersion(db, room),
    missed: await readChanges(db, room, known),
    mark: scope === undefined ? undefined : await readMark(db, scope),
  }));
  if (missed) await deliver(app, { room, from: known, to: version, ...missed, mark });
  else if (version > known) {
    tellHead(app, room, version);
    schedule(app);
  }
}
