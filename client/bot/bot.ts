/** `parley/bot` (docs/bots.md): enters every room that the bot can see, and passes on each message there once. */
import type { Account } from '../../shared/accounts.ts';
import type { Change } from '../../shared/changes.ts';
import type { Channel } from '../../shared/channels.ts';
import type { File } from '../../shared/files.ts';
import type { Conversation } from '../../shared/conversations.ts';
import type { Member } from '../../shared/members.ts';
import type { Message } from '../../shared/messages.ts';
import type { Person } from '../../shared/people.ts';
import type { CommandName, Input, Output, Ready } from '../../shared/protocol.ts';
import type { ChangeType, Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { BotConnection } from './connection.ts';
import { BotError, lineOf } from './failures.ts';
import { readFile, type BotFile } from './files.ts';
import { Follower } from './follower.ts';
import { newId } from '../sync/ids.ts';
import { Listeners, type BotEvent, type Listener } from './listeners.ts';
import type { BotMessage } from './message.ts';
import { Messages } from './messages.ts';
import { readOptions, type BotOptions } from './options.ts';

export { BotError, type BotFailureCode } from './failures.ts';
export { stableId } from './ids.ts';
export type { BotFile } from './files.ts';
export type { BotEvents } from './listeners.ts';
export type { BotMessage } from './message.ts';
export type { BotOptions } from './options.ts';
export {
  inFile,
  type BotPosition as Position,
  type BotPositions as Positions,
  type PositionStore,
} from './positions.ts';

export const createBot = (options: BotOptions = {}): Bot => new Bot(options);

const stopTimeoutMs = 5_000;

export interface BotSend {
  body?: string;
  files?: readonly BotFile[];
  /** A version 7 UUID. Retries with the same id send one message only. */
  id?: string;
}

export class Bot {
  readonly #log: (line: string) => void;
  readonly #address: { url: string; token: string };
  readonly #connection: BotConnection;
  readonly #follower: Follower;
  readonly #listeners: Listeners;
  readonly #messages: Messages;
  readonly #logged = new WeakSet<object>();
  readonly #problem: BotError | undefined;
  #you: Account | undefined;
  #isStopping = false;
  #starting: { done: (ready: Ready) => void; failed: (error: BotError) => void } | undefined;

  constructor(options: BotOptions) {
    const { url, token, store, log, problem } = readOptions(options);
    this.#log = log;
    this.#address = { url, token };
    this.#problem = problem;
    this.#listeners = new Listeners((event, error) => {
      this.#logError(error, `A listener to ${event} failed. `);
    });
    this.#connection = new BotConnection(url, token, {
      prepare: (ready) => this.#prepare(ready),
      ready: (ready) => void this.#onReady(ready),
      lost: (why) => log(`Not connected (${why}); trying again.`),
      ended: (error) => this.#end(error),
    });
    this.#messages = new Messages({
      command: this.command,
      rooms: () => this.#follower.rooms,
      you: () => this.you,
    });
    this.#follower = this.#follow(store);
  }

  /** Calls `listener` for each event. Several listeners of one event are called in turn. */
  on<E extends BotEvent>(event: E, listener: Listener<E>): this {
    this.#listeners.add(event, listener);
    return this;
  }

  /** For a program that is only this bot: starts, or logs one line with the reason of the failure and exits. */
  async run(): Promise<void> {
    await this.start().catch((error: unknown) => {
      this.#logError(error);
      process.exit(1);
    });
  }

  /** Connects, and enters every room that the bot can see. Reconnects automatically afterwards. @throws BotError */
  async start(): Promise<Ready> {
    if (this.#problem) throw this.#problem;
    const ready = await new Promise<Ready>((done, failed) => {
      this.#starting = { done, failed };
      this.#connection.open();
    });
    await this.#listeners.emit('ready', ready);
    this.#follower.open();
    return ready;
  }

  /** Waits for running listeners, saves the positions, and disconnects. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, stopTimeoutMs)));
    await Promise.race([this.#follower.idle(), enough]);
    clearTimeout(timer);
    this.#connection.end(new BotError('stopped', 'The bot was stopped.'));
    await this.#follower.stop();
  }

  /** Runs any command. Waits as long as the server asks for, and while the connection is lost. @throws BotError */
  command = <C extends CommandName>(name: C, input: Input<C>): Promise<Output<C>> =>
    this.#connection.command(name, input);

  /** Sends a message to a channel or a conversation. With your own id, a version 7 UUID, retries send it only once. */
  say(timelineId: string, body: string, id: string = newId()): Promise<BotMessage> {
    return this.#messages.send({ timelineId, body, id });
  }

  /** Sends a message with files, or files alone. With your own id, the ids of the files are derived from it. */
  send(timelineId: string, { body = '', files = [], id = newId() }: BotSend): Promise<BotMessage> {
    return this.#messages.send({ timelineId, body, id }, files);
  }

  /** The bytes of a file of a message. @throws BotError */
  read = (file: Pick<File, 'id' | 'name'>): Promise<Uint8Array> => readFile(this.#address, file);

  /** The bot itself. @throws BotError before it has started */
  get you(): Account {
    if (!this.#you) throw new BotError('stopped', 'The bot hasn’t been started.');
    return this.#you;
  }

  get servers(): Server[] {
    return [...(this.#follower.rooms.mine?.rows('servers').values() ?? [])];
  }

  channels(serverId: string): Channel[] {
    return this.#follower.rooms.channels(serverId);
  }

  get conversations(): Conversation[] {
    return [...(this.#follower.rooms.mine?.rows('conversations').values() ?? [])];
  }

  members(serverId: string): Member[] {
    return [...(this.#follower.rooms.server(serverId)?.rows('members').values() ?? [])];
  }

  person(id: string): Person | undefined {
    return this.#messages.person(id);
  }

  #follow(store: ReturnType<typeof readOptions>['store']): Follower {
    const { driver } = this.#connection;
    driver.on('people', ({ people }) => this.#messages.receivePeople(people));
    return new Follower(driver, store, {
      command: this.command,
      people: (people) => this.#messages.receivePeople(people),
      message: (message) => this.#hand(message),
      change: (change, room) => this.#emit(change, room),
      logError: (error) => this.#logError(error),
      log: this.#log,
      runState: () => (this.#connection.ended ? 'over' : this.#isStopping ? 'stopping' : 'on'),
    });
  }

  async #prepare(ready: Ready): Promise<boolean> {
    this.#you = ready.you;
    return this.#follower.prepare(ready).then(
      () => true,
      (error: unknown) => {
        this.#connection.end(error as BotError);
        return false;
      },
    );
  }

  async #onReady(ready: Ready): Promise<void> {
    if (!(await this.#follower.begin(ready))) return;
    this.#log(this.#greeting(ready));
    this.#starting?.done(ready);
    this.#starting = undefined;
  }

  #greeting({ you, node, protocol }: Ready): string {
    const places = this.servers.map(({ id, name }) => `${name}: ${this.channels(id).length}`);
    const where = places.length === 0 ? 'added to no server yet' : `channels: ${places.join(', ')}`;
    return `Connected as ${you.name} (${where}; node ${node.slice(0, 8)}, protocol ${protocol})`;
  }

  async #hand(row: Message): Promise<void> {
    // System messages are passed on as changes only.
    if (row.authorId === this.#you?.id || row.kind !== undefined) return;
    const replies: Promise<unknown>[] = [];
    const message = this.#messages.describe(row, replies);
    await this.#listeners.emit('message', message);
    // Also waits for replies that the listener did not await, because the message counts as answered only after them.
    const results = await Promise.allSettled(replies);
    for (const result of results) if (result.status === 'rejected') this.#logError(result.reason);
  }

  #emit(change: Change, room: Room): Promise<void> {
    // A change's type is the name of its event; TypeScript cannot follow this through a union.
    const listeners = this.#listeners as unknown as {
      emit(type: ChangeType, change: Change, room: Room): Promise<void>;
    };
    return listeners.emit(change.type, change, room);
  }

  /** Logs each error once, although several callers can pass it on. */
  #logError(error: unknown, before = '') {
    if (typeof error === 'object' && error !== null) {
      if (this.#logged.has(error)) return;
      this.#logged.add(error);
    }
    if (!(error instanceof BotError && error.code === 'stopped')) this.#log(before + lineOf(error));
  }

  #end(error: BotError) {
    void this.#follower.stop();
    this.#starting?.failed(error);
    if (this.#starting || error.code === 'stopped') return;
    this.#logError(error);
    if (this.#listeners.has('end')) void this.#listeners.emit('end', error);
    else process.exitCode = 1;
  }
}
