/**
 * Delivers committed changes to the sockets of this node, after earlier revocations. Gathers the changes of one tick
 * and sorts them by version, so that a busy room costs one packet a tick, and clients receive its changes in order.
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

/** How long a change waits for an earlier one that has not arrived here. */
const gapTimeoutMs = 200;

export class Delivery {
  readonly #needs: Needs;
  readonly #listeners: ((changes: RoomChanges) => void)[] = [];
  readonly #waiting = new Map<Room, Envelope[]>();
  /** By room, the version before a gap that is waited for or being filled. */
  readonly #gaps = new Map<Room, number>();
  #isScheduled = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  onChanges(listener: (changes: RoomChanges) => void): void {
    this.#listeners.push(listener);
  }

  waitingCount(room: Room): number {
    return this.#waiting.get(room)?.length ?? 0;
  }

  reset(): void {
    this.#waiting.clear();
    this.#gaps.clear();
  }

  /** Adds an envelope to the tick once every earlier revocation is applied. On failure it is not delivered. */
  async deliver(envelope: Envelope): Promise<void> {
    const { instance, sockets, access, activity } = this.#needs;
    const { room, mark: accessVersion, said } = envelope;
    const { epoch } = instance;
    const isBadge =
      said !== undefined &&
      accessVersion !== undefined &&
      canBeListed(sockets, room, accessVersion.scope);
    if (!isBadge && !sockets.hasAny(room)) return;
    // Every envelope waits, even without an access version: changes of one commit in two rooms stay in commit order.
    await (accessVersion && access.catchUpTo(accessVersion));
    // If the database was restored meanwhile, the envelope belongs to another epoch.
    if (instance.epoch !== epoch) return;
    if (isBadge) activity.record(accessVersion, room, said);
    this.#waiting.set(room, [...(this.#waiting.get(room) ?? []), envelope]);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      for (const room of [...this.#waiting.keys()]) this.#flush(room);
    });
  }

  #flush(room: Room): void {
    const { sockets, versions } = this.#needs;
    const all = this.#waiting.get(room) ?? [];
    this.#waiting.delete(room);
    if (!sockets.hasAny(room)) return versions.forget(room);
    const known = versions.of(room) ?? 0;
    const fresh = all.filter(({ to }) => to > known).sort((a, b) => a.from - b.from);
    const run = contiguous(fresh, known);
    const at = run.at(-1)?.to ?? known;
    if (run.some(({ anew }) => anew)) this.#emitHead(room, at);
    else if (run.length > 0) this.#emitChanges(mergeRun(room, known, run));
    const early = fresh.filter(({ to }) => to > at);
    if (early.length > 0) this.#holdEarly(room, early, at);
  }

  #emitHead(room: Room, version: number): void {
    this.#needs.versions.record(room, version);
    this.#needs.sockets.emitHead(room, version);
  }

  #emitChanges(changes: RoomChanges): void {
    const { sockets, versions, metrics } = this.#needs;
    versions.record(changes.room, changes.to);
    measure(metrics, changes);
    sockets.emitChanges(changes);
    for (const listener of this.#listeners) listener(changes);
  }

  /** Keeps envelopes that follow a gap. Each gap has one timer. */
  #holdEarly(room: Room, envelopes: Envelope[], known: number): void {
    this.#waiting.set(room, [...envelopes, ...(this.#waiting.get(room) ?? [])]);
    if (this.#gaps.get(room) === known) return;
    this.#gaps.set(room, known);
    setTimeout(() => {
      void attempt(this.#needs, 'fill', () => this.#fillGap(room, known)).then(() => {
        if (this.#gaps.get(room) === known) this.#gaps.delete(room);
      });
    }, gapTimeoutMs).unref();
  }

  /** If the missing changes have not arrived, reads them once for all sockets here, so that not each client asks. */
  async #fillGap(room: Room, known: number): Promise<void> {
    const { db, versions, reader } = this.#needs;
    // The changes have arrived, or no socket is in the room now.
    if (versions.of(room) !== known) {
      this.#schedule();
      return;
    }
    const scope = this.#waiting.get(room)?.find(({ to }) => to > known)?.mark?.scope;
    const { version, missed, mark } = await readTransaction(db, async (db) => ({
      version: await readVersion(db, room),
      missed: await reader.readChanges(db, room, known),
      mark: scope === undefined ? undefined : await readAccessVersion(db, scope),
    }));
    if (missed) await this.deliver({ room, from: known, to: version, ...missed, mark });
    else if (version > known) {
      this.#emitHead(room, version);
      this.#schedule();
    }
  }
}

/** True if a socket here can have the timeline in its list. For conversations only the database knows. */
const canBeListed = (sockets: Sockets, room: Room, scope: string) =>
  isConversationScope(room, scope) || sockets.hasAny(activityRoom(scope));

/** The contiguous run after `known`, without duplicates. */
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

/** Merges envelopes into one run from `known` on. Changes read to fill a gap can overlap with late ones. */
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

function measure(metrics: Metrics, { changes }: RoomChanges): void {
  metrics.changes.observe(changes.length);
  for (const change of changes)
    if (change.type === 'message:created')
      metrics.delivery.observe(
        Math.max(0, Date.now() - Date.parse(change.message.createdAt)) / 1_000,
      );
}
