/** A client without an interface: the real driver (client/sync/), its rows, and a record of what it receives. */
import type { Connection, ConnectionState } from '../../client/sync/connection.ts';
import type { RoomSnapshot } from '../../client/sync/room-replica.ts';
import { RoomRows } from '../../client/sync/room-rows.ts';
import type { RoomStore } from '../../client/sync/room-store.ts';
import { SyncClient } from '../../client/sync/sync-client.ts';
import type { PresenceMap, Status } from '../../shared/presence.ts';
import type { CommandName, Input, Output, Ready, RoomChanges } from '../../shared/protocol.ts';
import { serverRoom, splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { retryUntilAnswered } from '../replay/retry.ts';
import { connectionTo, unlessEnded, type ConnectionOptions } from '../support/client-connection.ts';
import { HeldTimeline } from '../support/held-timeline.ts';
import {
  changesIn,
  type AnsweredMessage,
  type ReceivedEvent,
  type Holding,
  type ConnectionTurn,
} from './history.ts';

export interface Recorder {
  received(event: Omit<ReceivedEvent, 'at'>): void;
  turn(turn: Omit<ConnectionTurn, 'at'>): void;
  lifeOf(epoch: string): number;
}

export class Client implements RoomStore {
  readonly name: string;
  readonly userId: string;
  readonly #recorder: Recorder;
  readonly #connection: Connection;
  readonly #sync: SyncClient;
  readonly #rows = new Map<Room, RoomRows>();
  readonly #timelines = new Map<Room, HeldTimeline>();
  readonly #presence = new Map<Room, Map<string, Status>>();
  #wasReady = false;
  life = 0;

  /** With `isHidden`, as a background tab, it never polls for missed changes (rule 6). */
  constructor(
    { name, userId, isHidden }: { name: string; userId: string; isHidden: boolean },
    entrance: ConnectionOptions,
    recorder: Recorder,
  ) {
    this.name = name;
    this.userId = userId;
    this.#recorder = recorder;
    this.#connection = connectionTo(entrance, {
      ready: (ready) => this.#onReady(ready),
      changed: (state) => this.#onChanged(state),
    });
    this.#connection.on('changes', (changes) => this.#note(changes));
    this.#sync = new SyncClient(this.#connection, this);
    this.#connection.on('presence', ({ room, users, full }) =>
      this.#receivePresence(room, users, full),
    );
    this.#sync.start(() => !isHidden);
  }

  get isReady(): boolean {
    return this.#connection.isReady;
  }

  get isAway(): boolean {
    return this.#connection.state.is === 'closed';
  }

  get hasEnded(): boolean {
    return this.#connection.state.is === 'ended';
  }

  comeBack(): void {
    this.#connection.open();
  }

  goAway(): void {
    this.#connection.close();
  }

  close(): void {
    this.#sync.stop();
    this.#connection.close();
  }

  timeline(id: string): HeldTimeline | undefined {
    return this.#timelines.get(timelineRoom(id));
  }

  /** The held version of a room: 0 if it cannot be trusted, undefined if the client is not in the room. */
  version(room: Room): number | undefined {
    return this.#sync.rooms.includes(room) ? (this.#sync.version(room) ?? 0) : undefined;
  }

  isIn(room: Room): boolean {
    return this.#sync.version(room) !== undefined;
  }

  sees(serverId: string, userId: string): Status {
    return this.#presence.get(serverRoom(serverId))?.get(userId) ?? 'offline';
  }

  /** @throws NoResponse, or the server's refusal */
  ask<C extends CommandName>(command: C, input: Input<C>): Promise<Output<C>> {
    return unlessEnded(this.#connection, () => this.#connection.send(command, input));
  }

  /** @throws NoResponse, or the server's refusal */
  async write<C extends 'message:send' | 'message:edit' | 'message:delete'>(
    command: C,
    input: Input<C>,
  ): Promise<AnsweredMessage> {
    const { message } = await this.ask(command, input);
    this.timeline(message.timelineId)?.confirm(message);
    return { ...message, life: this.life };
  }

  /** @throws NoResponse, or the server's refusal */
  enter(room: Room): Promise<void> {
    return unlessEnded(this.#connection, () => this.#sync.enter(room));
  }

  leave(room: Room): void {
    this.#recorder.turn({ who: this.name, what: 'moved out', room });
    this.#sync.leave(room);
  }

  holding(serverId: string, timelineIds: string[]): Holding {
    const mine = this.#rows.get(userRoom(this.userId))?.rows('servers') ?? new Map<string, never>();
    const members = this.#rows.get(serverRoom(serverId))?.rows('members').values() ?? [];
    return {
      who: this.name,
      userId: this.userId,
      connected: this.isReady,
      servers: [...mine.keys()],
      members: Object.fromEntries([...members].map(({ userId, role }) => [userId, role])),
      timelines: Object.fromEntries(
        timelineIds.flatMap((id) => {
          const held = this.timeline(id);
          return held === undefined ? [] : [[id, held.messages] as const];
        }),
      ),
      versions: Object.fromEntries(
        this.#sync.rooms.map((room) => [room, this.#sync.version(room)]),
      ),
      presence: Object.fromEntries(this.#presence.get(serverRoom(serverId)) ?? []),
    };
  }

  replace({ room, state }: RoomSnapshot): void {
    if ('messages' in state) {
      const held = this.#timelines.get(room) ?? this.#newTimeline(room);
      this.#timelines.set(room, held);
      held.replace(state.messages);
    } else {
      const held = this.#rows.get(room) ?? new RoomRows(room);
      this.#rows.set(room, held);
      held.replace(state);
    }
  }

  apply({ room, changes }: RoomChanges): void {
    (this.#timelines.get(room) ?? this.#rows.get(room))?.apply(changes);
  }

  entered(room: Room): void {
    this.#recorder.turn({ who: this.name, what: 'entered', room });
  }

  drop(room: Room): void {
    const isHeld = this.#timelines.delete(room) || this.#rows.delete(room);
    if (isHeld) this.#recorder.turn({ who: this.name, what: 'moved out', room });
    this.#presence.delete(room);
    // The timelines of a server are dropped with it.
    if (splitRoom(room).kind === 'server')
      for (const timeline of [...this.#timelines.keys()]) this.#sync.drop(timeline);
  }

  ephemeral(room: Room, presence: PresenceMap): void {
    this.#receivePresence(room, presence, true);
  }

  #onReady(ready: Ready) {
    this.life = this.#recorder.lifeOf(ready.epoch);
    this.#recorder.turn({ who: this.name, what: 'ready' });
    this.#wasReady = true;
    this.#sync.onReady(ready);
  }

  #onChanged({ is }: ConnectionState) {
    if (!this.#wasReady || is === 'ready' || is === 'closing') return;
    this.#wasReady = false;
    this.#recorder.turn({ who: this.name, what: 'lost' });
  }

  #note(range: RoomChanges) {
    const { room, from, to } = range;
    const { name: who, life } = this;
    this.#recorder.received({ who, room, from, to, changes: changesIn(range), life });
  }

  #receivePresence(room: Room, users: PresenceMap, whole = false) {
    const held = this.#presence.get(room) ?? new Map<string, Status>();
    if (whole) held.clear();
    for (const [id, status] of Object.entries(users)) held.set(id, status);
    this.#presence.set(room, held);
  }

  #newTimeline(room: Room): HeldTimeline {
    const timelineId = splitRoom(room).id;
    return new HeldTimeline((which) =>
      retryUntilAnswered(() => this.ask('message:list', { timelineId, limit: 100, ...which })),
    );
  }
}
