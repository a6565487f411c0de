/**
 * Delivers committed changes to the sockets of this node. It first applies the revocations that came before them, then
 * gathers the changes of one turn of the event loop and sorts them by version. So a busy room costs one packet a tick,
 * and clients receive its changes in order, whichever node they come from.
 */
import type { Change } from '../../shared/changes.ts';
import type { People } from '../../shared/people.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import { readTransaction, type Db } from '../database/database.ts';
import { attempt } from '../node/attempt.ts';
import type { Instance } from '../node/instance.ts';
import type { Logger } from '../node/log.ts';
import type { Metrics } from '../node/metrics.ts';
import { readAccessVersion, type AccessVersions } from './access-version.ts';
import type { ActivityFeed } from './activity.ts';
import type { Envelope } from './node-messages.ts';
import { readVersion } from './read-versions.ts';
import { activityRoom, isConversationScope } from './room-names.ts';
import type { RoomReader } from './room-reader.ts';
import type { RoomVersions } from './room-versions.ts';
import type { Sockets } from './sockets.ts';

export interface Delivery {
  /** Adds an envelope to the tick once every earlier revocation is applied. On failure it is not delivered. */
  deliver(envelope: Envelope): Promise<void>;
  /** Hears all changes that this node's sockets are sent. */
  onChanges(listener: (changes: RoomChanges) => void): void;
  /** How many envelopes of a room wait for the end of the tick or for an earlier envelope. */
  waitingCount(room: Room): number;
  reset(): void;
}

interface Needs {
  db: Db;
  log: Logger;
  instance: Instance;
  metrics: Metrics;
  sockets: Sockets;
  versions: RoomVersions;
  access: AccessVersions;
  reader: RoomReader;
  activity: ActivityFeed;
}

interface DeliveryBuffer {
  waiting: Map<Room, Envelope[]>;
  /** By room, the version before a gap that is waited for or being filled. */
  gaps: Map<Room, number>;
  isScheduled: boolean;
}

type Part = Needs & { buffer: DeliveryBuffer; listeners: ((changes: RoomChanges) => void)[] };

/** How long a change waits for an earlier one, which is committed but has not arrived here. */
const gapTimeoutMs = 200;

export function openDelivery(needs: Needs): Delivery {
  const buffer: DeliveryBuffer = { waiting: new Map(), gaps: new Map(), isScheduled: false };
  const part: Part = { ...needs, buffer, listeners: [] };
  return {
    deliver: (envelope) => deliver(part, envelope),
    onChanges: (listener) => void part.listeners.push(listener),
    waitingCount: (room) => buffer.waiting.get(room)?.length ?? 0,
    reset() {
      buffer.waiting.clear();
      buffer.gaps.clear();
    },
  };
}

async function deliver(part: Part, envelope: Envelope): Promise<void> {
  const { instance, sockets, access, activity } = part;
  const { room, mark: accessVersion, said } = envelope;
  const { epoch } = instance;
  const isBadge =
    said !== undefined &&
    accessVersion !== undefined &&
    canBeListed(sockets, room, accessVersion.scope);
  if (!isBadge && !sockets.hasAny(room)) return;
  // Every envelope waits, even without an access version: changes of one commit in two rooms stay in commit order.
  await (accessVersion && access.catchUpTo(accessVersion));
  // In the meantime the database may have been restored: then this belongs to another epoch.
  if (instance.epoch !== epoch) return;
  if (isBadge) activity.record(accessVersion, room, said);
  const { waiting } = part.buffer;
  waiting.set(room, [...(waiting.get(room) ?? []), envelope]);
  schedule(part);
}

/** Whether a socket here may have the timeline in its list. For conversations only the database knows. */
const canBeListed = (sockets: Sockets, room: Room, scope: string) =>
  isConversationScope(room, scope) || sockets.hasAny(activityRoom(scope));

function schedule(part: Part): void {
  const { buffer } = part;
  if (buffer.isScheduled) return;
  buffer.isScheduled = true;
  setImmediate(() => {
    buffer.isScheduled = false;
    for (const room of [...buffer.waiting.keys()]) flush(part, room);
  });
}

/** Emits the room's contiguous run; keeps what comes after a gap, for a while. */
function flush(part: Part, room: Room): void {
  const { buffer, sockets, versions } = part;
  const all = buffer.waiting.get(room) ?? [];
  buffer.waiting.delete(room);
  // No socket here is in the room: there is nothing to keep in order.
  if (!sockets.hasAny(room)) return versions.forget(room);
  const known = versions.of(room) ?? 0;
  const fresh = all.filter(({ to }) => to > known).sort((a, b) => a.from - b.from);
  const run = contiguous(fresh, known);
  const at = run.at(-1)?.to ?? known;
  if (run.some(({ anew }) => anew)) emitHead(part, room, at);
  else if (run.length > 0) emitChanges(part, mergeRun(room, known, run));
  const early = fresh.filter(({ to }) => to > at);
  if (early.length > 0) bufferEarly(part, room, early, at);
}

/** The envelopes that follow `known` without a gap, without those that bring nothing new. */
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

/** Merges envelopes into one run from `known` on. Changes read to fill a gap may overlap with ones that came late. */
function mergeRun(room: Room, known: number, run: Envelope[]): RoomChanges {
  const changes: Change[] = [];
  let at = known;
  for (const envelope of run) {
    for (const change of envelope.changes) if (change.version > at) changes.push(change);
    at = envelope.to;
  }
  const people = Object.assign({}, ...run.map(({ people }) => people)) as People;
  return { room, from: known, to: at, changes, people };
}

function emitHead({ sockets, versions }: Part, room: Room, version: number): void {
  versions.record(room, version);
  sockets.emitHead(room, version);
}

function emitChanges({ sockets, versions, metrics, listeners }: Part, changes: RoomChanges): void {
  versions.record(changes.room, changes.to);
  measure(metrics, changes);
  sockets.emitChanges(changes);
  for (const listener of listeners) listener(changes);
}

function measure(metrics: Metrics, { changes }: RoomChanges): void {
  metrics.changes.observe(changes.length);
  for (const change of changes)
    if (change.type === 'message:created')
      metrics.delivery.observe(
        Math.max(0, Date.now() - Date.parse(change.message.createdAt)) / 1_000,
      );
}

/** Keeps envelopes that came too early. Each gap has one timer, however many envelopes wait. */
function bufferEarly(part: Part, room: Room, envelopes: Envelope[], known: number): void {
  const { waiting, gaps } = part.buffer;
  waiting.set(room, [...envelopes, ...(waiting.get(room) ?? [])]);
  if (gaps.get(room) === known) return;
  gaps.set(room, known);
  setTimeout(() => {
    void attempt(part, 'fill', () => fillGap(part, room, known)).then(() => {
      if (gaps.get(room) === known) gaps.delete(room);
    });
  }, gapTimeoutMs).unref();
}

/** If the missing changes have not arrived, reads them once for all sockets here, so that not each client asks. */
async function fillGap(part: Part, room: Room, known: number): Promise<void> {
  const { db, buffer, versions, reader } = part;
  // They have arrived, or no socket is in the room any more.
  if (versions.of(room) !== known) {
    schedule(part);
    return;
  }
  const scope = buffer.waiting.get(room)?.find(({ to }) => to > known)?.mark?.scope;
  const { version, missed, mark } = await readTransaction(db, async (db) => ({
    version: await readVersion(db, room),
    missed: await reader.readChanges(db, room, known),
    mark: scope === undefined ? undefined : await readAccessVersion(db, scope),
  }));
  if (missed) await deliver(part, { room, from: known, to: version, ...missed, mark });
  else if (version > known) {
    emitHead(part, room, version);
    schedule(part);
  }
}
