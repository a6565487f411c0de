/** Follows all that happens where the bot is, from where it left off: the rooms, the timelines, how far it came. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Change } from '../../shared/changes.ts';
import type { Message } from '../../shared/messages.ts';
import type { People } from '../../shared/people.ts';
import type { CommandName, Input, Output, Ready } from '../../shared/protocol.ts';
import type { Badges } from '../../shared/reads.ts';
import { splitRoom, timelineRoom, type Room } from '../../shared/rooms.ts';
import { Lines } from './lines.ts';
import { Keeper, type PositionStore } from './positions.ts';
import { Rooms } from './rooms.ts';
import type { Link } from '../sync/sync-client.ts';
import { Timelines, type Course } from './timelines.ts';

/** In milliseconds. */
const together = 20;

export interface Follower {
  command: <C extends CommandName>(name: C, input: Input<C>) => Promise<Output<C>>;
  people: (people: People) => void;
  message: (message: Message) => Promise<void>;
  change: (change: Change, room: Room) => Promise<void>;
  complain: (error: unknown) => void;
  log: (line: string) => void;
  course: () => Course;
}

export class Following {
  readonly rooms: Rooms;
  readonly #follower: Follower;
  readonly #keeper: Keeper;
  readonly #telling = new Lines();
  #timelines: Timelines;
  #ready: Ready | undefined;
  #isBeginning = true;
  #badges: Promise<Badges> | undefined;
  #open: () => void = () => undefined;
  /** Nothing is handed on before this. */
  readonly #opened = new Promise<void>((resolve) => (this.#open = resolve));

  constructor(link: Link, store: PositionStore, follower: Follower) {
    this.#follower = follower;
    this.#keeper = new Keeper(store, (error) => follower.complain(error));
    this.#timelines = this.#newTimelines();
    this.rooms = this.#newRooms(link);
  }

  /**
   * Finds out how far the bot had come: at the start, and when the database begins another life.
   * @throws BotError if that cannot be read
   */
  async prepare({ you, epoch }: Ready): Promise<void> {
    if (this.#keeper.epoch === epoch) return;
    const known = await this.#keeper.begin(you.id, epoch);
    this.#timelines.end();
    this.#timelines = this.#newTimelines();
    this.#isBeginning = known !== 'goes on';
    if (known === 'begins anew')
      this.#follower.log('The database was restored. Continuing with new messages.');
  }

  /** Enters everything; returns when that is done, with whether the connection is still the same. */
  async begin(ready: Ready): Promise<boolean> {
    this.#ready = ready;
    await this.rooms.begin(ready);
    if (this.#ready !== ready) return false;
    this.#isBeginning = false;
    this.#keeper.open();
    return true;
  }

  /** From now on it is handed on what was heard. */
  open() {
    this.#open();
  }

  /** What is under way is done. */
  async idle(): Promise<void> {
    this.#open();
    await Promise.all([this.#timelines.idle(), this.#telling.idle()]);
  }

  async stop(): Promise<void> {
    this.#open();
    this.rooms.stop();
    await this.#keeper.flush();
  }

  #newTimelines(): Timelines {
    const follower = this.#follower;
    return new Timelines(this.#keeper, this.#opened, {
      list: (page) => follower.command('message:list', page),
      readUpTo: async (timelineId) => (await this.#unread())[timelineId]?.read,
      message: (message) => follower.message(message),
      change: (timelineId, change) => follower.change(change, timelineRoom(timelineId)),
      failed: (error) => follower.complain(error),
      course: () => follower.course(),
    });
  }

  #newRooms(link: Link): Rooms {
    return new Rooms(link, {
      people: this.#follower.people,
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
        else this.#tell(room, changes);
      },
      left: (room) => {
        const { kind, id } = splitRoom(room);
        if (kind === 'timeline') this.#timelines.left(id);
      },
    });
  }

  #tell(room: Room, changes: readonly Change[]) {
    void this.#telling.add(room, async () => {
      await this.#opened;
      for (const change of changes)
        if (this.#follower.course() === 'on') await this.#follower.change(change, room);
    });
  }

  /** What the server takes for unread now: asked once by all who want to know at the same moment. */
  #unread(): Promise<Badges> {
    this.#badges ??= sleep(together).then(async () => {
      this.#badges = undefined;
      const { epoch } = this.#keeper;
      const unread: Badges = {};
      for (let badges: true | string | undefined = true; badges !== undefined;) {
        const input: Input<'sync'> = { epoch, rooms: {}, badges };
        const answer: Output<'sync'> = await this.#follower.command('sync', input);
        Object.assign(unread, answer.timelines);
        badges = answer.moreTimelines;
      }
      return unread;
    });
    return this.#badges;
  }
}
