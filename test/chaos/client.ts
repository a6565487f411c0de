/**
 * A real client without a screen: it connects, enters rooms, hears, notices what is missing and heals, as
 * client/sync/sync-client.ts does it and by the same pure rules. What it hears and what becomes of it is written down.
 */
import { waitBefore } from '../../client/sync/backoff.ts';
import { syncsOf } from '../../client/sync/batches.ts';
import type { Entry, SyncEntry } from '../../shared/entry.ts';
import { ChatError } from '../../shared/failure.ts';
import type { Input, Ready, RoomChanges } from '../../shared/protocol.ts';
import { splitRoom, timelineRoom, serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomReplica } from '../../client/sync/room-replica.ts';
import type { PresenceMap, Status } from '../../shared/presence.ts';
import { HeldTimeline } from '../replay/held.ts';
import { Connection, type Entrance } from './connection.ts';
import { toldIn, type Answer, type Hearing, type Holding, type Turn } from './history.ts';
import { HeldRows } from './rows.ts';

/** As in client/sync/sync-client.ts and client/session/server-events.ts. Milliseconds. */
const holdFor = 1_000;
const look = { every: 25_000, spread: 10_000 };

/** Where it writes down what it notices. */
export interface Diary {
  hearing(heard: Omit<Hearing, 'at'>): void;
  turn(turn: Omit<Turn, 'at'>): void;
  /** Which life of the database this epoch is of. */
  lifeOf(epoch: string): number;
}

type Held = (HeldTimeline | HeldRows) & { timer?: NodeJS.Timeout | undefined };

export class Client {
  readonly name: string;
  readonly userId: string;
  readonly connection: Connection;
  readonly rooms = new Map<Room, Held>();
  readonly #presence = new Map<Room, Map<string, Status>>();
  readonly #diary: Diary;
  readonly #looking: NodeJS.Timeout | undefined;
  readonly #reading = new Set<HeldTimeline>();
  #epoch = '';
  /** Which life of the database this connection tells of. */
  life = 0;

  /** A hidden one, as a tab in the background, never looks whether it has missed anything. */
  constructor(
    { name, userId, isHidden }: { name: string; userId: string; isHidden: boolean },
    entrance: Entrance,
    diary: Diary,
  ) {
    this.name = name;
    this.userId = userId;
    this.#diary = diary;
    this.connection = new Connection(entrance, {
      ready: (ready) => this.#begin(ready),
      lost: () => diary.turn({ who: name, what: 'lost' }),
    });
    const { socket } = this.connection;
    socket.on('changes', (stretch) => this.#hear(stretch));
    socket.on('head', ({ room, version }) => {
      if (version === null) this.#letGo(room);
      else if (this.rooms.get(room)?.room.receiveHead(version) === true) this.heal([room]);
    });
    socket.on('presence', ({ room, users, full }) => {
      this.rooms.get(room)?.room.receivePresence(users);
      this.#hearPresence(room, users, full);
    });
    const every = look.every + (Math.random() - 0.5) * look.spread;
    if (!isHidden) this.#looking = setInterval(() => this.heal([...this.rooms.keys()]), every);
  }

  close(): void {
    clearInterval(this.#looking);
    for (const room of [...this.rooms.keys()]) this.#letGo(room);
    this.connection.close();
  }

  timeline(id: string): HeldTimeline | undefined {
    const held = this.rooms.get(timelineRoom(id));
    return held instanceof HeldTimeline ? held : undefined;
  }

  isIn(room: Room): boolean {
    return this.rooms.get(room)?.room.version !== undefined;
  }

  /** How somebody is, as far as one sees in a server. */
  sees(serverId: string, userId: string): Status {
    return this.#presence.get(serverRoom(serverId))?.get(userId) ?? 'offline';
  }

  /** Writes. @throws NoResponse, or the server's refusal */
  async write<C extends 'message:send' | 'message:edit' | 'message:delete'>(
    command: C,
    input: Input<C>,
  ): Promise<Answer> {
    const { message } = await this.connection.ask(command, input);
    return { ...message, life: this.life };
  }

  /** Opens a room. @throws NoResponse, or the server's refusal */
  async enter(room: Room): Promise<void> {
    const held = this.rooms.get(room) ?? newHeld(room);
    this.rooms.set(room, held);
    held.room.requestStarted();
    try {
      do {
        const entry = await this.#open(room, held.room);
        if (this.rooms.get(room) === held) this.#receive(held, entry);
      } while (held.room.rest !== undefined && this.rooms.get(room) === held);
    } catch (error) {
      if (error instanceof ChatError && error.code === 'not_found') this.#letGo(room);
      // Who sees that it failed tries again.
      else this.#askAgain(room, held);
      throw error;
    } finally {
      held.room.requestEnded();
    }
    this.#attend(room, held);
  }

  /** Catches up with rooms, and tries again as long as no answer comes. */
  heal(rooms: Room[]): void {
    if (!this.connection.isOpen) return;
    const asked = rooms.flatMap((room) => {
      const held = this.rooms.get(room);
      if (held === undefined || held.room.isRequested) return [];
      return [[room, held.room.cursor] as const];
    });
    for (const sync of syncsOf(asked)) void this.#synchronize(sync);
  }

  holding(serverId: string, timelineIds: string[]): Holding {
    const mine = this.rooms.get(userRoom(this.userId));
    const server = this.rooms.get(serverRoom(serverId));
    return {
      who: this.name,
      userId: this.userId,
      connected: this.connection.isOpen,
      servers: mine instanceof HeldRows ? mine.rows('servers').map(({ id }) => id) : [],
      members:
        server instanceof HeldRows
          ? Object.fromEntries(server.rows('members').map(({ userId, role }) => [userId, role]))
          : {},
      timelines: Object.fromEntries(
        timelineIds.flatMap((id) => {
          const held = this.timeline(id);
          return held === undefined ? [] : [[id, held.messages] as const];
        }),
      ),
      versions: Object.fromEntries(
        [...this.rooms].map(
          ([
            room,
            {
              room: { version },
            },
          ]) => [room, version],
        ),
      ),
      presence: Object.fromEntries(this.#presence.get(serverRoom(serverId)) ?? []),
    };
  }

  #begin(ready: Ready): void {
    const entered = [...this.rooms.keys()];
    if (ready.epoch !== this.#epoch) for (const { room } of this.rooms.values()) room.invalidate();
    this.#epoch = ready.epoch;
    this.life = this.#diary.lifeOf(ready.epoch);
    this.#diary.turn({ who: this.name, what: 'ready' });
    const mine = this.rooms.get(ready.room) ?? newHeld(ready.room);
    this.rooms.set(ready.room, mine);
    mine.room.requestStarted();
    this.#receive(mine, ready);
    mine.room.requestEnded();
    this.heal(entered.filter((room) => room !== ready.room));
  }

  #hear(stretch: RoomChanges): void {
    const { room, from, to } = stretch;
    const { name: who, life } = this;
    this.#diary.hearing({ who, room, from, to, told: toldIn(stretch), life });
    const held = this.rooms.get(room);
    held?.hear(stretch);
    if (held) this.#attend(room, held);
  }

  #hearPresence(room: Room, users: PresenceMap, whole = false): void {
    const held = this.#presence.get(room) ?? new Map<string, Status>();
    if (whole) held.clear();
    for (const [id, status] of Object.entries(users)) held.set(id, status);
    this.#presence.set(room, held);
  }

  #open(room: Room, { version: since, rest }: RoomReplica): Promise<Entry> {
    const { kind, id } = splitRoom(room);
    return kind === 'server'
      ? this.connection.ask('server:open', { serverId: id, since, after: rest })
      : this.connection.ask('channel:join', { channelId: id, since });
  }

  async #synchronize(sync: Input<'sync'>): Promise<void> {
    const asked = (Object.keys(sync.rooms) as Room[]).flatMap((room) => {
      const held = this.rooms.get(room);
      return held ? [[room, held] as const] : [];
    });
    for (const [, { room }] of asked) room.requestStarted();
    const answer = await this.connection.ask('sync', sync).catch(() => undefined);
    if (answer) this.#epoch = answer.epoch;
    for (const [room, held] of asked) {
      const entry = answer?.rooms.find((one) => one.room === room);
      if (entry && this.rooms.get(room) === held) this.#receive(held, entry);
      held.room.requestEnded();
      if (entry?.status === 'later' || held.room.rest !== undefined) this.heal([room]);
      if (answer) this.#attend(room, held);
      else this.#askAgain(room, held);
    }
  }

  #askAgain(room: Room, held: Held): void {
    if (this.rooms.get(room) !== held) return;
    held.timer ??= setTimeout(() => {
      held.timer = undefined;
      this.heal([room]);
    }, waitBefore(0));
  }

  #receive(held: Held, entry: SyncEntry): void {
    if (entry.status === 'gone') return this.#letGo(entry.room);
    if (entry.status === 'later') return;
    const { presence } = held.answer(entry, this.#epoch) ?? {};
    if (held.room.rest !== undefined) return this.heal([entry.room]);
    if (presence) this.#hearPresence(entry.room, held.room.mergePresence(presence), true);
    this.#diary.turn({ who: this.name, what: 'entered', room: entry.room });
  }

  /** Sees to what is lacking: a predecessor, or a page after what is held. */
  #attend(room: Room, held: Held): void {
    if (!held.room.hasGap || this.rooms.get(room) !== held) {
      clearTimeout(held.timer);
      held.timer = undefined;
    } else {
      held.timer ??= setTimeout(() => {
        held.timer = undefined;
        this.heal([room]);
      }, holdFor);
    }
    if (held instanceof HeldTimeline && held.lackingNewer) void this.#readUp(room, held);
  }

  async #readUp(room: Room, held: HeldTimeline): Promise<void> {
    const which = held.lackingNewer;
    if (which === undefined || this.#reading.has(held)) return;
    this.#reading.add(held);
    held.asksForPage();
    const timelineId = splitRoom(room).id;
    await this.connection
      .ask('message:list', { timelineId, limit: 100, ...which })
      .then((page) => held.addPage(page))
      .catch(() => undefined);
    this.#reading.delete(held);
    if (this.rooms.get(room) === held && this.connection.isOpen) await this.#readUp(room, held);
  }

  #letGo(room: Room): void {
    clearTimeout(this.rooms.get(room)?.timer);
    if (this.rooms.delete(room)) this.#diary.turn({ who: this.name, what: 'moved out', room });
    this.#presence.delete(room);
    // What is in a server goes with it.
    if (splitRoom(room).kind === 'server')
      for (const other of [...this.rooms.keys()])
        if (splitRoom(other).kind === 'timeline') this.#letGo(other);
  }
}

const newHeld = (room: Room): Held => {
  const { kind } = splitRoom(room);
  return kind === 'timeline' ? new HeldTimeline() : new HeldRows(kind);
};
