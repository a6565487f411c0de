/** Keeps a bot in all rooms that it can see: its own, its servers’, their channels’ and its conversations’. */
import type { Change } from '../../shared/changes.ts';
import type { Channel } from '../../shared/channels.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { Ready, RoomChanges } from '../../shared/protocol.ts';
import { serverRoom, splitRoom, timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomSnapshot, SyncCursor } from '../sync/room-replica.ts';
import { byKey, RoomRows } from '../sync/room-rows.ts';
import type { RoomStore } from '../sync/room-store.ts';
import { SyncClient, type Link } from '../sync/sync-client.ts';
import { diffRows } from './row-diff.ts';

export interface RoomsListener {
  /** The cursor of a timeline from before a restart. */
  since(timelineId: string): SyncCursor | undefined;
  people(people: People): void;
  snapshot(timelineId: string, messages: Message[], version: number): void;
  changed(room: Room, changes: Change[], to: number): void;
  left(room: Room): void;
}

export class Rooms implements RoomStore {
  readonly #listener: RoomsListener;
  readonly #sync: SyncClient;
  /** Rows of the bot's own room and of its servers' rooms. Messages are passed on and not kept. */
  readonly #rows = new Map<Room, RoomRows>();
  readonly #followed = new Set<Room>();
  /** Rooms that are listed but cannot be entered. The list will drop them soon. */
  readonly #gone = new Set<Room>();
  /** Rooms not yet entered since the connection was opened. */
  #pending = new Set<Room>();
  #whole: () => void = () => undefined;
  #me: Room = userRoom('');
  #epoch = '';

  constructor(link: Link, listener: RoomsListener) {
    this.#listener = listener;
    this.#sync = new SyncClient(link, this);
  }

  get mine(): RoomRows | undefined {
    return this.#rows.get(this.#me);
  }

  server(id: string): RoomRows | undefined {
    return this.#rows.get(serverRoom(id));
  }

  channel(id: string): Channel | undefined {
    for (const held of this.#rows.values()) {
      const channel = held.rows('channels').get(id) ?? held.rows('privateChannels').get(id);
      if (channel) return channel;
    }
    return undefined;
  }

  channels(serverId: string): Channel[] {
    const all = new Map<string, Channel>(this.server(serverId)?.rows('channels'));
    for (const channel of this.mine?.rows('privateChannels').values() ?? [])
      if (channel.serverId === serverId) all.set(channel.id, channel);
    return [...all.values()];
  }

  /** Called first after connecting. Resolves when all rooms are entered, or when the next connection begins. */
  begin(ready: Ready): Promise<void> {
    this.#whole();
    if (ready.epoch !== this.#epoch) this.#forget();
    this.#epoch = ready.epoch;
    this.#me = ready.room;
    this.#pending = new Set(this.#followed.add(ready.room));
    const whole = new Promise<void>((resolve) => (this.#whole = resolve));
    this.#sync.start();
    this.#sync.onReady(ready);
    return whole;
  }

  stop() {
    this.#sync.stop();
  }

  replace({ room, state, people, version }: RoomSnapshot) {
    this.#listener.people(people);
    if ('messages' in state) {
      this.#listener.snapshot(splitRoom(room).id, state.messages, version);
      return;
    }
    const known = this.#rows.get(room);
    const held = known ?? new RoomRows(room);
    const missed = held.names.flatMap((name) =>
      known ? diffRows(name, known.rows(name), byKey(name, state), version) : [],
    );
    this.#rows.set(room, held);
    held.replace(state);
    if (missed.length > 0) this.#listener.changed(room, missed, version);
    this.#reconcile();
  }

  apply({ room, changes, people, to }: RoomChanges) {
    this.#listener.people(people);
    const held = this.#rows.get(room);
    this.#listener.changed(room, held ? held.apply(changes) : changes, to);
    if (held) this.#reconcile();
  }

  entered(room: Room) {
    if (this.#pending.delete(room) && this.#pending.size === 0) this.#whole();
  }

  drop(room: Room) {
    this.#rows.delete(room);
    if (!this.#followed.delete(room)) return;
    this.#gone.add(room);
    this.#listener.left(room);
    this.entered(room);
  }

  cursor(room: Room): SyncCursor | undefined {
    const { kind, id } = splitRoom(room);
    return kind === 'timeline' ? this.#listener.since(id) : undefined;
  }

  /** Drops the state of another epoch. */
  #forget() {
    for (const held of [this.#rows, this.#followed, this.#gone]) held.clear();
  }

  #reconcile() {
    const servers = [...(this.mine?.rows('servers').keys() ?? [])];
    const channels = servers.flatMap((id) => this.channels(id).map((channel) => channel.id));
    const all = new Set<Room>([
      this.#me,
      ...servers.map(serverRoom),
      ...[...channels, ...(this.mine?.rows('conversations').keys() ?? [])].map(timelineRoom),
    ]);
    for (const room of [...this.#followed]) if (!all.has(room)) this.#sync.drop(room);
    for (const room of [...this.#gone]) if (!all.has(room)) this.#gone.delete(room);
    const fresh = [...all].filter((room) => !this.#followed.has(room) && !this.#gone.has(room));
    for (const room of fresh) {
      this.#followed.add(room);
      this.#pending.add(room);
    }
    this.#sync.enterAll(fresh);
  }
}
