/** Sends `sync` for all rooms wanted in the same turn, and retries without a response. */
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import type { Input } from '../../shared/protocol.ts';
import type { Room } from '../../shared/rooms.ts';
import { waitBefore } from './backoff.ts';
import { syncsOf } from './batches.ts';
import type { Connection } from './connection.ts';
import { stopWaiting, type HeldRoom, type HeldRooms } from './held-rooms.ts';
import type { BadgeStore } from './room-store.ts';

/** Rule 1: how long an early change waits for its predecessor, in milliseconds. */
const gapTimeoutMs = 1_000;

interface Needs {
  link: Pick<Connection, 'send' | 'reconnect'>;
  rooms: HeldRooms;
  badges: BadgeStore | undefined;
  receive: (held: HeldRoom, entry: Entry) => void;
}

export class SyncRequests {
  readonly #needs: Needs;
  #wanted: Set<Room> | undefined;
  #wantsBadges = false;

  constructor(needs: Needs) {
    this.#needs = needs;
  }

  ask(rooms: readonly Room[]) {
    if (!this.#wanted) queueMicrotask(() => this.#flush());
    this.#wanted ??= new Set();
    for (const room of rooms) this.#wanted.add(room);
  }

  wantBadges() {
    this.#wantsBadges = true;
  }

  askRestOfBadges() {
    if (this.#needs.badges?.rest === undefined) return;
    this.#wantsBadges = true;
    this.ask([]);
  }

  /** Rule 1: if the predecessor does not arrive in time, `sync` repairs the gap. */
  waitForPredecessor(room: Room, held: HeldRoom) {
    if (held.replica.hasGap) this.#askLater(room, held, gapTimeoutMs);
    else stopWaiting(held);
  }

  /** Without a response, the client is possibly not subscribed and would miss changes. */
  retryLater(room: Room, held: HeldRoom) {
    this.#askLater(room, held, waitBefore(held.unanswered++));
  }

  #askLater(room: Room, held: HeldRoom, ms: number) {
    if (this.#needs.rooms.get(room) !== held) return;
    held.timer ??= setTimeout(() => {
      held.timer = undefined;
      this.ask([room]);
    }, ms);
  }

  #flush() {
    const { rooms, badges } = this.#needs;
    const asked = [...(this.#wanted ?? [])].flatMap((room) => {
      const held = rooms.get(room);
      if (!held || held.opening || held.isSyncing) return [];
      if (rooms.parked.isLeaving(room)) {
        void rooms.parked.left(room).then(() => this.ask([room]));
        return [];
      }
      return [[room, held.replica.cursor] as const];
    });
    const syncs = syncsOf(asked);
    const which = this.#wantsBadges ? badges?.ask() : undefined;
    this.#wanted = undefined;
    this.#wantsBadges = false;
    if (which !== undefined && syncs[0]) syncs[0].badges = which;
    else if (which !== undefined) syncs.push({ epoch: rooms.epoch, rooms: {}, badges: which });
    for (const sync of syncs) void this.#synchronize(sync);
  }

  async #synchronize(sync: Input<'sync'>): Promise<void> {
    const { link, rooms, badges } = this.#needs;
    const asked = this.#begin(sync);
    const answer = await link.send('sync', sync).catch(() => undefined);
    // Rule 5: a new epoch begins with `ready`, which needs a new connection.
    const isOurs = answer?.epoch === rooms.epoch;
    if (answer && !isOurs) link.reconnect();
    if (sync.badges) badges?.answer(isOurs ? answer : undefined);
    if (isOurs) this.#takeEntries(answer.rooms, asked);
    else this.#wantsBadges ||= !!sync.badges;
    this.askRestOfBadges();
    for (const [room, held] of asked) {
      held.isSyncing = false;
      held.replica.requestEnded();
      if (isOurs) this.waitForPredecessor(room, held);
      else this.retryLater(room, held);
    }
  }

  #begin(sync: Input<'sync'>): Map<Room, HeldRoom> {
    const asked = new Map<Room, HeldRoom>();
    for (const room of Object.keys(sync.rooms) as Room[]) {
      const held = this.#needs.rooms.get(room);
      if (!held) continue;
      asked.set(room, held);
      held.isSyncing = true;
      held.replica.requestStarted();
      stopWaiting(held);
    }
    return asked;
  }

  #takeEntries(entries: SyncEntry[], asked: ReadonlyMap<Room, HeldRoom>) {
    const { rooms, receive } = this.#needs;
    // Ended rooms come last, so that changes in other rooms that report the end can still read the name.
    const inOrder = entries.toSorted((a, b) => +(a.status === 'gone') - +(b.status === 'gone'));
    for (const entry of inOrder) {
      const held = asked.get(entry.room);
      if (!held || rooms.replica(entry.room) !== held.replica) continue;
      if (entry.status !== 'later') receive(held, entry);
      // The room did not fit into the answer.
      else this.ask([entry.room]);
    }
  }
}
