/** The state of a person's client, by the client's own driver over their socket, for comparison with a fresh client. */
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { RoomSnapshot } from '../../client/sync/room-replica.ts';
import { RoomRows } from '../../client/sync/room-rows.ts';
import type { RoomStore } from '../../client/sync/room-store.ts';
import { SyncClient } from '../../client/sync/sync-client.ts';
import type { Change, Row } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import { learnQuotes, withQuote, type Quotes } from '../../client/replies/quotes.ts';
import type { RoomChanges } from '../../shared/protocol.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { firstPosition, freshState, sorted, type Rows } from './fresh-state.ts';
import { PersonLink } from './person-link.ts';
import type { Person } from './person.ts';
import { timeoutMs } from './time.ts';

export class Mirror implements RoomStore {
  readonly changes: Change[] = [];
  readonly #rows = new Map<Room, RoomRows>();
  /** The first position held of each timeline. As in the client's window, nothing older is held. */
  readonly #from = new Map<Room, number>();
  readonly #quotes: Quotes = new Map();
  readonly #link: PersonLink;
  readonly #sync: SyncClient;

  /** With `earlier`, it begins with the state of another client, like a page with what an earlier one has saved. */
  constructor(person: Person, link = new PersonLink(person), earlier?: Mirror) {
    this.#link = link;
    this.#sync = new SyncClient(this.#link, this);
    if (earlier) this.#restore(person, earlier);
    this.#begin(person);
  }

  get person(): Person {
    return this.#link.person;
  }

  get userRoom() {
    return userRoom(this.person.id);
  }

  get rooms(): Room[] {
    return this.#sync.rooms;
  }

  open(room: Room): Promise<void> {
    return this.#sync.enter(room);
  }

  /** Replaces a lost socket, and fetches the missing changes. */
  async comeBack(person: Person): Promise<void> {
    this.#begin(person);
    await this.#link.idle();
  }

  async sync(): Promise<void> {
    this.#sync.syncAll();
    await this.#link.idle();
  }

  /** Compares versions from time to time, as a client does (rule 6). */
  watch(): void {
    this.#sync.start();
  }

  stop(): void {
    this.#sync.stop();
  }

  /** Applies the message of an ack, which can be older than changes received since. It moves no version. */
  confirm(message: Message): void {
    const { version } = message;
    learnQuotes(this.#quotes, [message]);
    const held = this.#rows.get(timelineRoom(message.timelineId));
    held?.apply([{ type: 'message:created', version, message }]);
  }

  /** The state held of a room: the rows of each slice, by their keys. */
  state(room: Room): Rows | undefined {
    const held = this.#rows.get(room);
    return (
      held &&
      sorted(
        held.names.map((name) => [name, [...held.rows(name).values()].map(this.#quoting)] as const),
      )
    );
  }

  /** Waits until all state equals a fresh client's. Fails after a long time, and shows the difference. */
  async becomesTrue(rooms?: Room[]): Promise<void> {
    const interval = 100;
    for (let looks = 0; ; looks += 1) {
      const differing = await this.#difference(rooms ?? this.rooms);
      if (differing === undefined) return;
      if (looks * interval > timeoutMs)
        expect(differing.held, differing.room).to.deep.equal(differing.fresh);
      await sleep(interval);
    }
  }

  replace({ room, state }: RoomSnapshot): void {
    const held = this.#rows.get(room) ?? new RoomRows(room);
    this.#rows.set(room, held);
    held.replace(state);
    if (!('messages' in state)) return;
    learnQuotes(this.#quotes, state.messages);
    if (state.messages.length > 0) this.#from.set(room, firstPosition(state.messages));
  }

  apply({ room, changes }: RoomChanges): void {
    this.changes.push(...changes);
    learnQuotes(
      this.#quotes,
      changes.flatMap((change) => ('message' in change ? [change.message] : [])),
    );
    const from = this.#from.get(room) ?? 1;
    const isHeld = (change: Change) => !('message' in change) || change.message.position >= from;
    this.#rows.get(room)?.apply(changes.filter(isHeld));
  }

  drop(room: Room): void {
    this.#rows.delete(room);
    this.#from.delete(room);
  }

  isConversation(timelineId: string): boolean {
    return this.#rows.get(this.userRoom)?.rows('conversations').has(timelineId) ?? false;
  }

  #restore({ ready }: Person, earlier: Mirror) {
    const saved = [...earlier.#rows.keys()].flatMap((room) => earlier.#snapshotOf(room) ?? []);
    const own = saved.find(({ room }) => room === ready.room);
    if (!own) return;
    this.#sync.onReady({ ...ready, ...own, epoch: earlier.#sync.epoch } as Person['ready']);
    this.#sync.restore(
      saved.filter((snapshot) => snapshot !== own),
      Date.now(),
    );
  }

  #snapshotOf(room: Room): RoomSnapshot | undefined {
    const version = this.#sync.keptVersion(room);
    const held = this.#rows.get(room);
    if (version === undefined || !held) return undefined;
    // Like a page, which saves the newest messages, and their quotes as it shows them.
    const rows = held.names.map((name) => {
      const all = [...held.rows(name).values()].map(this.#quoting);
      return [name, name === 'messages' ? (all as Message[]).sort(byPosition).slice(-10) : all];
    });
    const state = Object.fromEntries(rows) as unknown as RoomSnapshot['state'];
    return { status: 'snapshot', room, version, state, people: {} };
  }

  readonly #quoting = <R extends Row>(row: R) =>
    'replyTo' in row ? withQuote(row, this.#quotes) : row;

  #begin(person: Person) {
    this.#link.person = person;
    this.#sync.onReady(person.ready);
    this.#link.use(person);
  }

  async #difference(rooms: Room[]) {
    const other = await this.person.newTab();
    try {
      for (const room of rooms) {
        const held = this.state(room);
        const fresh = await freshState(other, room, this.#from.get(room));
        // Not as JSON, because rows that the database stored have their keys in another order.
        if (!isDeepStrictEqual(held, fresh)) return { room, held, fresh };
      }
      return undefined;
    } finally {
      other.close();
    }
  }
}

const byPosition = (a: Message, b: Message) => a.position - b.position;

/** Expects each change of a room once, and none after a later one. */
export function expectOnceInOrder(applied: Change[]): void {
  const versions = applied.map(({ version }) => version);
  expect(versions).to.deep.equal([...new Set(versions)].sort((a, b) => a - b));
}
