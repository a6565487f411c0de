/**
 * Keeps what a client holds of each room equal to what the server has. Starting, reconnecting and healing are one
 * path: say the version held, and take what is missing. The six rules of the client stand in docs/architecture.md.
 */
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import { ChatError } from '../../shared/failure.ts';
import type { Input, Ready, RoomChanges } from '../../shared/protocol.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { waitBefore } from './backoff.ts';
import { syncsOf } from './batches.ts';
import type { Connection } from './connection.ts';
import { ParkedRooms } from './parked-rooms.ts';
import { leaveTimeline, openRoom } from './room-commands.ts';
import { RoomReplica } from './room-replica.ts';
import type { RoomStore } from './room-store.ts';

/** Rule 1: how long something early is held for its predecessor. */
const gapTimeoutMs = 1_000;
/** Rule 6: how often versions are compared though nothing seems to be missing. */
const lookEveryMs = 25_000;
const lookSpreadMs = 10_000;

/** What the driver needs of a connection. */
export type Link = Pick<Connection, 'isReady' | 'send' | 'reconnect' | 'on'>;

interface Held {
  replica: RoomReplica;
  /** It is being opened. */
  opening?: Promise<void> | undefined;
  timer?: ReturnType<typeof setTimeout> | undefined;
  /** How often in a row no answer came. */
  unanswered: number;
}

export class SyncClient {
  readonly #link: Link;
  readonly #store: RoomStore;
  readonly #rooms = new Map<Room, Held>();
  readonly #parked: ParkedRooms;
  /** What the next `sync` asks for: all that is wanted in the same turn. */
  #wanted: Set<Room> | undefined;
  #wantsBadges = false;
  #epoch = '';
  #userId: string | undefined;
  #looking: ReturnType<typeof setTimeout> | undefined;

  constructor(link: Link, store: RoomStore) {
    this.#link = link;
    this.#store = store;
    this.#parked = new ParkedRooms((room) =>
      leaveTimeline(link.send, room, this.#isConversation(room)),
    );
    link.on('changes', (range) => this.#onChanges(range));
    link.on('head', ({ room, version }) => this.#onHead(room, version));
    link.on('presence', ({ room, users }) => this.#rooms.get(room)?.replica.receivePresence(users));
  }

  get rooms(): Room[] {
    return [...this.#rooms.keys()];
  }

  /** The version held of a room; `undefined` until it was entered. */
  version(room: Room): number | undefined {
    return this.#rooms.get(room)?.replica.version;
  }

  /** The first thing after connecting. Rule 5: what was held of another epoch, or as another user, is dropped. */
  onReady(ready: Ready) {
    const isMe = ready.you.id === this.#userId;
    const entered = isMe ? this.rooms : [];
    if (ready.epoch !== this.#epoch || !isMe) this.forget();
    this.#epoch = ready.epoch;
    this.#userId = ready.you.id;
    this.#store.badges?.begin(ready);
    const mine = this.#ensureRoom(ready.room);
    mine.replica.requestStarted();
    this.#receive(mine, ready);
    mine.replica.requestEnded();
    this.#waitForPredecessor(ready.room, mine);
    // Re-enter the rooms we were in; from a snapshot, if they were dropped.
    this.enterAll(entered.filter((room) => room !== ready.room));
    this.#requestBadges();
  }

  forget() {
    for (const room of [...this.rooms, ...this.#parked.rooms]) this.drop(room);
    this.#store.badges?.forget();
  }

  /** Opens a room, or comes back to it. Rejects with the server's refusal, or when there is no answer. */
  enter(room: Room): Promise<void> {
    const held = this.#ensureRoom(room);
    return (held.opening ??= this.#open(room, held).finally(() => (held.opening = undefined)));
  }

  /** Enters rooms, many by one command. Who must know whether that was refused calls `enter`. */
  enterAll(rooms: readonly Room[]) {
    for (const room of rooms) this.#ensureRoom(room);
    this.#requestSync(rooms);
  }

  /** Stops hearing a timeline but keeps what was heard. */
  leave(room: Room) {
    const held = this.#rooms.get(room);
    if (!held) return;
    clearTimeout(held.timer);
    this.#rooms.delete(room);
    this.#parked.park(room, held.replica);
    if (this.#link.isReady) void this.#parked.leave(room);
  }

  /** The room is no longer ours: nothing of it stays. */
  drop(room: Room) {
    clearTimeout(this.#rooms.get(room)?.timer);
    this.#rooms.delete(room);
    this.#parked.take(room);
    this.#store.drop(room);
  }

  /** Compares all rooms with the server's, and the badges too. */
  syncAll(badges = false) {
    if (!this.#link.isReady) return;
    this.#wantsBadges ||= badges;
    this.#requestSync(this.rooms);
  }

  /** Rule 6: from now on compares them now and then while somebody may be looking, not all clients at once. */
  start(isVisible = () => true) {
    clearTimeout(this.#looking);
    let looks = 0;
    const lookLater = () => {
      const wait = lookEveryMs + (Math.random() - 0.5) * lookSpreadMs;
      this.#looking = setTimeout(() => {
        looks += 1;
        if (isVisible()) this.syncAll(looks % 5 === 0);
        lookLater();
      }, wait);
    };
    lookLater();
  }

  /** Nothing is held any longer, and nothing asked. */
  stop() {
    clearTimeout(this.#looking);
    for (const held of this.#rooms.values()) stopWaiting(held);
    this.#rooms.clear();
  }

  /** Changes, as they happen; of a timeline that was left, until the server has seen to it. */
  #onChanges(range: RoomChanges) {
    const { room } = range;
    for (const ready of this.#replica(room)?.receive(range) ?? []) this.#store.apply(ready, 'live');
    const held = this.#rooms.get(room);
    if (held) this.#waitForPredecessor(room, held);
    else if (this.#parked.get(room)) void this.#parked.leave(room);
  }

  /** The server says how far a room is. `null`: we were moved out of it. */
  #onHead(room: Room, version: number | null) {
    if (version === null) {
      this.#store.movedOut?.(room);
      this.drop(room);
    } else if (this.#rooms.get(room)?.replica.receiveHead(version)) this.#requestSync([room]);
  }

  /** Of a room that we are in, or have left. */
  #replica(room: Room): RoomReplica | undefined {
    return this.#rooms.get(room)?.replica ?? this.#parked.get(room);
  }

  #ensureRoom(room: Room): Held {
    const held = this.#rooms.get(room);
    if (held) return held;
    const replica = this.#parked.take(room) ?? new RoomReplica(this.#store.cursor?.(room));
    const fresh: Held = { replica, unanswered: 0 };
    this.#rooms.set(room, fresh);
    return fresh;
  }

  async #open(room: Room, held: Held): Promise<void> {
    await this.#parked.left(room);
    if (this.#rooms.get(room) !== held) return;
    const { replica } = held;
    stopWaiting(held);
    replica.requestStarted();
    try {
      do {
        const entry = await openRoom(this.#link.send, room, replica, this.#isConversation(room));
        if (this.#replica(room) === replica) this.#receive(held, entry);
      } while (replica.rest !== undefined && this.#replica(room) === replica);
    } catch (error) {
      if (this.#replica(room) === replica) this.#onOpenFailed(room, held, error);
      throw error;
    } finally {
      replica.requestEnded();
    }
    this.#waitForPredecessor(room, held);
  }

  #isConversation = (room: Room) => this.#store.isConversation?.(splitRoom(room).id) ?? false;

  #onOpenFailed(room: Room, held: Held, error: unknown) {
    if (error instanceof ChatError && error.code === 'not_found') this.drop(room);
    else this.#retryLater(room, held);
  }

  /** Catches up with rooms that are held, and tries again as long as no answer comes. */
  #requestSync(rooms: readonly Room[]) {
    if (!this.#wanted) queueMicrotask(() => this.#flushSyncs());
    this.#wanted ??= new Set();
    for (const room of rooms) this.#wanted.add(room);
  }

  /** The rest of those that have come in part. */
  #requestBadges() {
    if (this.#store.badges?.rest === undefined) return;
    this.#wantsBadges = true;
    this.#requestSync([]);
  }

  #flushSyncs() {
    const asked = [...(this.#wanted ?? [])].flatMap((room) => {
      const held = this.#rooms.get(room);
      if (!held || held.opening || held.replica.isRequested) return [];
      return [[room, held.replica.cursor] as const];
    });
    const syncs = syncsOf(asked);
    const which = this.#wantsBadges ? this.#store.badges?.ask() : undefined;
    this.#wanted = undefined;
    this.#wantsBadges = false;
    if (which !== undefined && syncs[0]) syncs[0].badges = which;
    else if (which !== undefined) syncs.push({ epoch: this.#epoch, rooms: {}, badges: which });
    for (const sync of syncs) void this.#synchronize(sync);
  }

  async #synchronize(sync: Input<'sync'>): Promise<void> {
    const asked = new Map<Room, Held>();
    for (const room of Object.keys(sync.rooms) as Room[]) {
      const held = this.#rooms.get(room);
      if (!held) continue;
      asked.set(room, held);
      held.replica.requestStarted();
      stopWaiting(held);
    }
    const answer = await this.#link.send('sync', sync).catch(() => undefined);
    // Rule 5: `ready` begins another epoch, so it is taken from a connection of its own.
    const isOurs = answer?.epoch === this.#epoch;
    if (answer && !isOurs) this.#link.reconnect();
    if (sync.badges) this.#store.badges?.answer(isOurs ? answer : undefined);
    if (isOurs) this.#takeEntries(answer.rooms, asked);
    else this.#wantsBadges ||= !!sync.badges;
    this.#requestBadges();
    for (const [room, held] of asked) {
      held.replica.requestEnded();
      if (isOurs) this.#waitForPredecessor(room, held);
      else this.#retryLater(room, held);
    }
  }

  #takeEntries(entries: SyncEntry[], asked: ReadonlyMap<Room, Held>) {
    // What ended comes last: changes in other rooms that tell of its end still find its name.
    const inOrder = entries.toSorted((a, b) => +(a.status === 'gone') - +(b.status === 'gone'));
    for (const entry of inOrder) {
      const held = asked.get(entry.room);
      if (!held || this.#replica(entry.room) !== held.replica) continue;
      if (entry.status !== 'later') this.#receive(held, entry);
      // It did not fit the answer.
      else this.#requestSync([entry.room]);
    }
  }

  /** A server that was busy has let us into no room yet: of what happens there it will not tell by itself. */
  #retryLater(room: Room, held: Held) {
    this.#requestLater(room, held, waitBefore(held.unanswered++));
  }

  #receive(held: Held, entry: Entry) {
    if (entry.status === 'gone') {
      this.drop(entry.room);
      return;
    }
    const { room } = entry;
    held.unanswered = 0;
    const { snapshot, changes } = held.replica.answer(entry, this.#epoch);
    if (entry.status === 'snapshot' && !snapshot) {
      this.#requestSync([room]);
      return;
    }
    const { presence, counts } = snapshot ?? entry;
    if (presence) this.#store.ephemeral?.(room, held.replica.mergePresence(presence), counts);
    if (snapshot) this.#store.replace(snapshot);
    for (const range of changes) this.#store.apply(range, 'missed');
    this.#store.entered?.(room);
    this.#waitForPredecessor(room, held);
  }

  /** Rule 1: a gap that its predecessor does not fill in time is healed. */
  #waitForPredecessor(room: Room, held: Held) {
    if (held.replica.hasGap) this.#requestLater(room, held, gapTimeoutMs);
    else stopWaiting(held);
  }

  #requestLater(room: Room, held: Held, ms: number) {
    if (this.#rooms.get(room) !== held) return;
    held.timer ??= setTimeout(() => {
      held.timer = undefined;
      this.#requestSync([room]);
    }, ms);
  }
}

function stopWaiting(held: Held) {
  clearTimeout(held.timer);
  held.timer = undefined;
}
