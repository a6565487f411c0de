/**
 * Keeps a bot in all rooms that it may see: its own, its servers’, their channels’, its conversations’. Entering, coming back and
 * healing are one path, as in the browser (client/sync/sync-client.ts): say the version held, and take what is missing.
 */
import type { Change } from '../../shared/changes.ts';
import type { Channel } from '../../shared/channels.ts';
import type { Entry } from '../../shared/entry.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { Input, Output, Ready, RoomChanges } from '../../shared/protocol.ts';
import { serverRoom, splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Question } from '../sync/room-replica.ts';
import { syncsOf } from '../sync/batches.ts';
import { Held } from './held.ts';

/** How long something early is held for its predecessor, and how often it is asked what was lost without a trace. */
const holdFor = 1_000;
const lookEvery = () => 20_000 + Math.random() * 10_000;

/** An epoch that no database has: such a room comes whole. */
const unknown: Question = { epoch: '', version: 0 };

export interface RoomsHearer {
  sync(input: Input<'sync'>): Promise<Output<'sync'>>;
  /** What was held of a timeline before a restart. */
  since(timelineId: string): Question | undefined;
  people(people: People): void;
  /** The newest messages of a timeline. */
  snapshot(timelineId: string, messages: Message[], version: number): void;
  /** What happened in a room, up to a version of it. */
  changed(room: Room, changes: Change[], to: number): void;
  left(room: Room): void;
  /** The database has begun another life. */
  otherLife(): void;
}

export class Rooms {
  readonly #held = new Map<Room, Held>();
  readonly #hearer: RoomsHearer;
  #me: Room = userRoom('');
  #epoch = '';
  #looking: NodeJS.Timeout | undefined;
  /** Not to be had although they are listed: the list will say so soon. */
  readonly #gone = new Set<Room>();

  constructor(hearer: RoomsHearer) {
    this.#hearer = hearer;
  }

  get mine(): Held | undefined {
    return this.#held.get(this.#me);
  }

  server(id: string): Held | undefined {
    return this.#held.get(serverRoom(id));
  }

  channel(id: string): Channel | undefined {
    for (const held of this.#held.values()) {
      const channel = held.rows('channels').get(id) ?? held.rows('privateChannels').get(id);
      if (channel) return channel;
    }
    return undefined;
  }

  /** Those of a server that the bot sees: all public ones, and the private ones that it was let into. */
  channels(serverId: string): Channel[] {
    const all = new Map<string, Channel>(this.server(serverId)?.rows('channels'));
    for (const channel of this.mine?.rows('privateChannels').values() ?? [])
      if (channel.serverId === serverId) all.set(channel.id, channel);
    return [...all.values()];
  }

  /** The first thing after connecting. Returns when everything is entered. */
  async begin(ready: Ready): Promise<void> {
    if (ready.epoch !== this.#epoch) this.#forget();
    this.#epoch = ready.epoch;
    this.#me = ready.room;
    const before = [...this.#held.keys()].filter((room) => room !== ready.room);
    const mine = this.#hold(ready.room);
    mine.room.ask();
    this.#receive(mine, ready);
    mine.room.settle();
    clearInterval(this.#looking);
    this.#looking = setInterval(() => void this.#ask([...this.#held.keys()]), lookEvery());
    // Itself too: something may have happened before it was held.
    await this.#ask([ready.room, ...before]);
  }

  stop() {
    clearInterval(this.#looking);
    for (const { timer } of this.#held.values()) clearTimeout(timer);
  }

  hear(stretch: RoomChanges) {
    const held = this.#held.get(stretch.room);
    if (!held) return;
    for (const ready of held.room.hear(stretch)) this.#apply(held, ready);
    this.#waitForPredecessor(stretch.room, held);
  }

  /** The server says how far a room is; `null`: the bot was moved out of it. */
  told(room: Room, version: number | null) {
    if (version === null) this.#drop(room);
    else if (this.#held.get(room)?.room.hearHead(version)) void this.#ask([room]);
  }

  /** Nothing that is held is of this life of the database. */
  #forget() {
    this.stop();
    this.#held.clear();
    this.#gone.clear();
  }

  /** Asks for what is missing in these rooms, then enters whatever that brought to light. */
  async #ask(rooms: Room[]): Promise<void> {
    const askable = [...rooms, ...this.#reconcile()].flatMap((room) => {
      const held = this.#held.get(room);
      if (!held || held.room.isAsked) return [];
      return [[room, held.room.question ?? unknown] as const];
    });
    if (askable.length === 0) return;
    const later = await Promise.all(syncsOf(askable).map((sync) => this.#synchronize(sync)));
    await this.#ask(later.flat());
  }

  /** Lets go of what is no more, takes hold of what is new, and says what that is. */
  #reconcile(): Room[] {
    const servers = [...(this.mine?.rows('servers').keys() ?? [])];
    const channels = servers.flatMap((id) => this.channels(id).map((channel) => channel.id));
    const all = new Set<Room>([
      this.#me,
      ...servers.map(serverRoom),
      ...[...channels, ...(this.mine?.rows('conversations').keys() ?? [])].map(timelineRoom),
    ]);
    for (const room of [...this.#held.keys()]) if (!all.has(room)) this.#drop(room);
    for (const room of [...this.#gone]) if (!all.has(room)) this.#gone.delete(room);
    const fresh = [...all].filter((room) => !this.#held.has(room) && !this.#gone.has(room));
    for (const room of fresh) this.#hold(room);
    return fresh;
  }

  #hold(room: Room): Held {
    const known = this.#held.get(room);
    if (known) return known;
    const { kind, id } = splitRoom(room);
    const held = new Held(room, kind === 'timeline' ? this.#hearer.since(id) : undefined);
    this.#held.set(room, held);
    return held;
  }

  /** Answers with what did not fit the answer, or has more, and is to be asked for again. */
  async #synchronize(sync: Input<'sync'>): Promise<Room[]> {
    const asked = new Map<Room, Held>();
    for (const room of Object.keys(sync.rooms) as Room[]) {
      const held = this.#held.get(room);
      if (held) asked.set(room, held);
      held?.room.ask();
    }
    const answer = await this.#hearer.sync(sync).catch(() => undefined);
    if (answer && answer.epoch !== this.#epoch) this.#hearer.otherLife();
    else
      for (const entry of answer?.rooms ?? []) {
        const held = asked.get(entry.room);
        if (entry.status === 'later' || this.#held.get(entry.room) !== held) continue;
        if (held) this.#receive(held, entry);
      }
    for (const [room, held] of asked) {
      held.room.settle();
      this.#waitForPredecessor(room, held);
    }
    return (
      answer?.rooms.flatMap(({ status, room }) =>
        status === 'later' || this.#held.get(room)?.room.rest !== undefined ? [room] : [],
      ) ?? []
    );
  }

  #receive(held: Held, entry: Entry) {
    if (entry.status === 'gone') {
      this.#drop(entry.room);
      return;
    }
    const { snapshot, changes } = held.room.answer(entry, this.#epoch);
    if (snapshot) {
      this.#hearer.people(snapshot.people);
      const { kind, id } = splitRoom(snapshot.room);
      const missed = held.replace(snapshot.state, snapshot.version);
      if (kind === 'timeline' && 'messages' in snapshot.state)
        this.#hearer.snapshot(id, snapshot.state.messages, snapshot.version);
      if (missed.length > 0) this.#hearer.changed(snapshot.room, missed, snapshot.version);
    }
    for (const stretch of changes) this.#apply(held, stretch);
  }

  #apply(held: Held, { room, changes, people, to }: RoomChanges) {
    this.#hearer.people(people);
    this.#hearer.changed(room, held.apply(changes), to);
    if (splitRoom(room).kind !== 'timeline') void this.#ask([]);
  }

  #waitForPredecessor(room: Room, held: Held) {
    clearTimeout(held.timer);
    if (held.room.lacks && this.#held.get(room) === held)
      held.timer = setTimeout(() => void this.#ask([room]), holdFor);
  }

  #drop(room: Room) {
    const held = this.#held.get(room);
    if (!held) return;
    clearTimeout(held.timer);
    this.#held.delete(room);
    this.#gone.add(room);
    this.#hearer.left(room);
  }
}
