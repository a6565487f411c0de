/**
 * Keeps a client's state of each room equal to the server's. Starting, reconnecting and repair are one path: send the
 * version held and receive the missing changes. docs/architecture.md has the six rules of the client.
 */
import type { Entry } from '../../shared/entry.ts';
import { ChatError } from '../../shared/failure.ts';
import type { Ready, RoomChanges } from '../../shared/protocol.ts';
import { splitRoom, type Room } from '../../shared/rooms.ts';
import type { Connection } from './connection.ts';
import { HeldRooms, stopWaiting, type HeldRoom } from './held-rooms.ts';
import { ParkedRooms } from './parked-rooms.ts';
import { leaveTimeline, openRoom } from './room-commands.ts';
import { RoomReplica, type RoomSnapshot } from './room-replica.ts';
import type { RoomStore } from './room-store.ts';
import { SyncRequests } from './sync-requests.ts';

/** Rule 6: interval of comparing versions although nothing seems to be missing. */
const lookEveryMs = 25_000;
const lookSpreadMs = 10_000;

/**
 * After this long without a connection, servers are read again from snapshots, because the names and status texts of
 * their members have no version. Each client waits for a random time, so that not all ask at once after an outage.
 */
const staleAfterMs = 300_000;
const refreshWithinMs = 30_000;

export type Link = Pick<Connection, 'isReady' | 'send' | 'reconnect' | 'on'>;

export class SyncClient {
  readonly #link: Link;
  readonly #store: RoomStore;
  readonly #rooms: HeldRooms;
  readonly #requests: SyncRequests;
  #userId: string | undefined;
  #looking: ReturnType<typeof setTimeout> | undefined;
  #refreshing: ReturnType<typeof setTimeout> | undefined;
  /** When the connection was last known to work. */
  #connectedAt = Date.now();

  constructor(link: Link, store: RoomStore) {
    this.#link = link;
    this.#store = store;
    const parked = new ParkedRooms((room) =>
      leaveTimeline(link.send, room, this.#isConversation(room)),
    );
    const rooms = new HeldRooms(parked, (room) => store.cursor?.(room));
    const receive = this.#receive.bind(this);
    this.#rooms = rooms;
    this.#requests = new SyncRequests({ link, rooms, badges: store.badges, receive });
    link.on('changes', (range) => this.#onChanges(range));
    link.on('head', ({ room, version }) => this.#onHead(room, version));
    link.on('presence', (news) => rooms.get(news.room)?.replica.receivePresence(news));
  }

  get rooms(): Room[] {
    return this.#rooms.names;
  }

  /** When the connection was last known to work. */
  get connectedAt(): number {
    return this.#connectedAt;
  }

  get epoch(): string {
    return this.#rooms.epoch;
  }

  /** The version held of a room; `undefined` before it was entered. */
  version(room: Room): number | undefined {
    return this.#rooms.get(room)?.replica.version;
  }

  /** Like `version`, also for a timeline that was left: its state is kept. */
  keptVersion(room: Room): number | undefined {
    return this.#rooms.replica(room)?.version;
  }

  /** Called first after connecting. Rule 5: drops state of another epoch or another user. */
  onReady(ready: Ready) {
    const isMe = ready.you.id === this.#userId;
    const entered = isMe ? this.rooms : [];
    // Also if the clock was set back.
    const wasLongAway = Math.abs(Date.now() - this.#connectedAt) > staleAfterMs;
    this.#connectedAt = Date.now();
    if (ready.epoch !== this.#rooms.epoch || !isMe) this.forget();
    this.#rooms.epoch = ready.epoch;
    this.#userId = ready.you.id;
    this.#store.badges?.begin(ready);
    const mine = this.#rooms.ensure(ready.room);
    mine.replica.requestStarted();
    this.#receive(mine, ready);
    mine.replica.requestEnded();
    this.#requests.waitForPredecessor(ready.room, mine);
    // Re-enters the rooms of the last connection; from a snapshot, if they were dropped.
    const others = entered.filter((room) => room !== ready.room);
    this.enterAll(others);
    if (wasLongAway) this.#refreshLater();
    this.#requests.askRestOfBadges();
  }

  /** Restores rooms that an earlier page saved. Call `onReady` with its `ready` first. `at`: when they were current. */
  restore(snapshots: readonly RoomSnapshot[], at: number) {
    const { epoch, parked } = this.#rooms;
    this.#connectedAt = at;
    for (const snapshot of snapshots) {
      const { room, version } = snapshot;
      parked.park(room, new RoomReplica({ epoch, version }));
      if (splitRoom(room).kind === 'server') this.#rooms.ensure(room);
      this.#store.replace(snapshot);
    }
  }

  #refreshLater() {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => {
      const servers = this.rooms.filter((room) => splitRoom(room).kind === 'server');
      for (const room of servers) this.#rooms.get(room)?.replica.refresh();
      if (this.#link.isReady) this.#requests.ask(servers);
    }, Math.random() * refreshWithinMs);
  }

  forget() {
    for (const room of [...this.rooms, ...this.#rooms.parked.rooms]) this.drop(room);
    this.#store.badges?.forget();
  }

  /** Opens a room, or re-enters it. Rejects with the server's refusal, or if there is no response. */
  enter(room: Room): Promise<void> {
    const held = this.#rooms.ensure(room);
    return (held.opening ??= this.#open(room, held).finally(() => (held.opening = undefined)));
  }

  /** Enters rooms, many by one command. Does not report refusals; `enter` does. */
  enterAll(rooms: readonly Room[]) {
    for (const room of rooms) this.#rooms.ensure(room);
    this.#requests.ask(rooms);
  }

  /** Unsubscribes from a timeline but keeps its state. */
  leave(room: Room) {
    if (this.#rooms.park(room) && this.#link.isReady) void this.#rooms.parked.leave(room);
  }

  drop(room: Room) {
    this.#rooms.drop(room);
    this.#store.drop(room);
  }

  syncAll(badges = false) {
    if (!this.#link.isReady) return;
    if (badges) this.#requests.wantBadges();
    this.#requests.ask(this.rooms);
  }

  /** Rule 6: compares the versions while the page is visible, at random moments, so that clients do not ask at once. */
  start(isVisible = () => true) {
    clearTimeout(this.#looking);
    let looks = 0;
    const lookLater = () => {
      const wait = lookEveryMs + (Math.random() - 0.5) * lookSpreadMs;
      const due = Date.now() + wait;
      this.#looking = setTimeout(() => {
        looks += 1;
        // A late timer means that the device was asleep: the connection can seem to work until it times out.
        const isOnTime = Date.now() - Math.max(due, this.#connectedAt) < 3 * lookEveryMs;
        if (isOnTime && this.#link.isReady) this.#connectedAt = Date.now();
        if (isVisible()) this.syncAll(looks % 5 === 0);
        lookLater();
      }, wait);
    };
    lookLater();
  }

  stop() {
    clearTimeout(this.#looking);
    clearTimeout(this.#refreshing);
    this.#rooms.clear();
  }

  /** Handles changes of a subscribed room, or of a timeline that was left, until the server has handled the leave. */
  #onChanges(range: RoomChanges) {
    const { room } = range;
    const { parked } = this.#rooms;
    const ready = this.#rooms.replica(room)?.receive(range) ?? [];
    for (const changes of ready) this.#store.apply(changes, 'live');
    const held = this.#rooms.get(room);
    if (held) this.#requests.waitForPredecessor(room, held);
    else if (parked.get(room)) void parked.leave(room);
  }

  /**
   * Handles the server's version of a room; `null` if this socket was removed from it. The event comes before
   * `…:removed` in the user's own room, and within two seconds even if that change is lost (test/laws/away.test.ts).
   * Only `…:removed` names the removed place and the person who removed it (test/laws/state.test.ts).
   */
  #onHead(room: Room, version: number | null) {
    if (version === null) {
      this.#store.movedOut?.(room);
      this.drop(room);
    } else if (this.#rooms.get(room)?.replica.receiveHead(version)) this.#requests.ask([room]);
  }

  async #open(room: Room, held: HeldRoom): Promise<void> {
    await this.#rooms.parked.left(room);
    if (this.#rooms.get(room) !== held) return;
    const { replica } = held;
    const isHeld = () => this.#rooms.replica(room) === replica;
    stopWaiting(held);
    replica.requestStarted();
    try {
      do {
        const entry = await openRoom(this.#link.send, room, replica, this.#isConversation(room));
        if (isHeld()) this.#receive(held, entry);
      } while (replica.rest !== undefined && isHeld());
    } catch (error) {
      if (isHeld()) this.#onOpenFailed(room, held, error);
      throw error;
    } finally {
      replica.requestEnded();
    }
    this.#requests.waitForPredecessor(room, held);
  }

  #isConversation = (room: Room) => this.#store.isConversation?.(splitRoom(room).id) ?? false;

  #onOpenFailed(room: Room, held: HeldRoom, error: unknown) {
    if (error instanceof ChatError && error.code === 'not_found') this.drop(room);
    else this.#requests.retryLater(room, held);
  }

  #receive(held: HeldRoom, entry: Entry) {
    if (entry.status === 'gone') {
      this.drop(entry.room);
      return;
    }
    const { room } = entry;
    held.unanswered = 0;
    const { snapshot, changes, presence } = held.replica.answer(entry, this.#rooms.epoch);
    if (entry.status === 'snapshot' && !snapshot) {
      this.#requests.ask([room]);
      return;
    }
    if (presence) this.#store.ephemeral?.(room, presence, entry.counts);
    if (snapshot) this.#store.replace(snapshot);
    for (const range of changes) this.#store.apply(range, 'missed');
    this.#store.entered?.(room);
    this.#requests.waitForPredecessor(room, held);
  }
}
