/** Follows all changes where the bot is, from where it left off: rooms, timelines and positions. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { CommandName, Input, Output, Ready } from '../../shared/protocol.ts';
import type { Badges } from '../../shared/reads.ts';
import { splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { PositionKeeper, type PositionStore } from './positions.ts';
import { Rooms } from './rooms.ts';
import type { Link } from '../sync/sync-client.ts';
import { Timelines, type RunState } from './timelines.ts';

/** How long requests for badges are collected into one, in milliseconds. */
const together = 20;

export interface FollowerListener {
  command: <C extends CommandName>(name: C, input: Input<C>) => Promise<Output<C>>;
  people: (people: People) => void;
  message: (message: Message) => Promise<void>;
  change: (change: Change, room: Room) => Promise<void>;
  logError: (error: unknown) => void;
  log: (line: string) => void;
  runState: () => RunState;
}

export class Follower {
  readonly rooms: Rooms;
  readonly #listener: FollowerListener;
  readonly #keeper: PositionKeeper;
  readonly #deliveries = new KeyedQueue();
  #timelines: Timelines;
  #ready: Ready | undefined;
  #isBeginning = true;
  #badges: Promise<Badges> | undefined;
  #open: () => void = () => undefined;
  /** Blocks all listeners until it resolves. */
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  constructor(link: Link, store: PositionStore, listener: FollowerListener) {
    this.#listener = listener;
    this.#keeper = new PositionKeeper(store, (error) => listener.logError(error));
    this.#timelines = this.#newTimelines();
    this.rooms = this.#newRooms(link);
  }

  /** Loads the saved positions, at the start and for another epoch. @throws BotError if they cannot be read */
  async prepare({ you, epoch }: Ready): Promise<void> {
    if (this.#keeper.epoch === epoch) return;
    const known = await this.#keeper.begin(you.id, epoch);
    this.#timelines.end();
    this.#timelines = this.#newTimelines();
    this.#isBeginning = known !== 'goes on';
    if (known === 'begins anew')
      this.#listener.log('The database was restored. Continuing with new messages.');
  }

  /** Enters all rooms. Resolves to whether the connection is still the same. */
  async begin(ready: Ready): Promise<boolean> {
    this.#ready = ready;
    await this.rooms.begin(ready);
    if (this.#ready !== ready) return false;
    this.#isBeginning = false;
    this.#keeper.open();
    return true;
  }

  open() {
    this.#open();
  }

  async idle(): Promise<void> {
    this.#open();
    await Promise.all([this.#timelines.idle(), this.#deliveries.idle()]);
  }

  async stop(): Promise<void> {
    this.#open();
    this.rooms.stop();
    await this.#keeper.flush();
  }

  #newTimelines(): Timelines {
    const listener = this.#listener;
    return new Timelines(this.#keeper, this.#opened, {
      list: (page) => listener.command('message:list', page),
      readUpTo: async (timelineId) => (await this.#unread())[timelineId]?.read,
      message: (message) => listener.message(message),
      change: (timelineId, change) => listener.change(change, timelineRoom(timelineId)),
      failed: (error) => listener.logError(error),
      runState: () => listener.runState(),
    });
  }

  #newRooms(link: Link): Rooms {
    return new Rooms(link, {
      people: this.#listener.people,
      since: (timelineId) => {
        const version = this.#keeper.of(timelineId)?.version;
        return version === undefined ? undefined : { epoch: this.#keeper.epoch, version };
      },
      snapshot: (timelineId, messages, version) => {
        if (this.#isBeginning) this.#timelines.begin(timelineId, messages, version);
        else this.#timelines.snapshot(timelineId, messages, version);
      },
      changed: (room, changes, to) => {
        const { kind, id } = splitRoom(room);
        if (kind === 'timeline') this.#timelines.changed(id, changes, to);
        else this.#deliver(room, changes);
      },
      left: (room) => {
        const { kind, id } = splitRoom(room);
        if (kind === 'timeline') this.#timelines.left(id);
      },
    });
  }

  #deliver(room: Room, changes: readonly Change[]) {
    void this.#deliveries.add(room, async () => {
      await this.#opened;
      for (const change of changes)
        if (this.#listener.runState() === 'on') await this.#listener.change(change, room);
    });
  }

  #unread(): Promise<Badges> {
    this.#badges ??= sleep(together).then(async () => {
      this.#badges = undefined;
      const { epoch } = this.#keeper;
      const unread: Badges = {};
      for (let badges: true | string | undefined = true; badges !== undefined;) {
        const input: Input<'sync'> = { epoch, rooms: {}, badges };
        const answer: Output<'sync'> = await this.#listener.command('sync', input);
        Object.assign(unread, answer.timelines);
        badges = answer.moreTimelines;
      }
      return unread;
    });
    return this.#badges;
  }
}
