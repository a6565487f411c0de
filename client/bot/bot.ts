/** `parley/bot`: a bot that is where it was added, hears all that is said there, and answers once. See docs/bots.md. */
import type { Account } from '../../shared/accounts.ts';
import type { Change } from '../../shared/changes.ts';
import type { Channel } from '../../shared/channels.ts';
import type { Conversation } from '../../shared/conversations.ts';
import type { Member } from '../../shared/members.ts';
import type { Message } from '../../shared/messages.ts';
import type { People, Person } from '../../shared/people.ts';
import type { CommandName, Input, Output, Ready } from '../../shared/protocol.ts';
import type { ChangeType, Room } from '../../shared/rooms.ts';
import type { Server } from '../../shared/servers.ts';
import { BotConnection } from './connection.ts';
import { BotError, lineOf } from './failures.ts';
import { Following } from './following.ts';
import { newId } from '../sync/ids.ts';
import { replyId } from './ids.ts';
import { Lines } from './lines.ts';
import { Listeners, type BotEvent, type Listener } from './listeners.ts';
import { nobody, type BotMessage } from './message.ts';
import { readOptions, type BotOptions } from './options.ts';

export { BotError, type BotFailureCode } from './failures.ts';
export { stableId } from './ids.ts';
export type { BotEvents } from './listeners.ts';
export type { BotMessage } from './message.ts';
export type { BotOptions } from './options.ts';
export { inFile, type Position, type Positions, type PositionStore } from './positions.ts';

export const createBot = (options: BotOptions = {}): Bot => new Bot(options);

/** How long stopping waits for what is under way, in milliseconds. */
const patience = 5_000;

export class Bot {
  readonly #log: (line: string) => void;
  readonly #connection: BotConnection;
  readonly #following: Following;
  readonly #listeners: Listeners;
  /** What is said in a channel, in order. */
  readonly #saying = new Lines();
  readonly #people = new Map<string, Person>();
  readonly #complainedOf = new WeakSet<object>();
  readonly #problem: BotError | undefined;
  #you: Account | undefined;
  #isStopping = false;
  #starting: { done: (ready: Ready) => void; failed: (error: BotError) => void } | undefined;

  constructor(options: BotOptions) {
    const { url, token, store, log, problem } = readOptions(options);
    this.#log = log;
    this.#problem = problem;
    this.#listeners = new Listeners((event, error) => {
      this.#complain(error, `A listener to ${event} failed. `);
    });
    this.#connection = new BotConnection(url, token, {
      prepare: (ready) => this.#prepare(ready),
      ready: (ready) => void this.#onReady(ready),
      lost: (why) => log(`Not connected (${why}); trying again.`),
      ended: (error) => this.#end(error),
    });
    this.#following = this.#follow(store);
  }

  /** Calls `listener` each time. With several, one after the other. */
  on<E extends BotEvent>(event: E, listener: Listener<E>): this {
    this.#listeners.add(event, listener);
    return this;
  }

  /** For a program that is this bot and nothing else: starts, or says in one line why it cannot, and ends. */
  async run(): Promise<void> {
    await this.start().catch((error: unknown) => {
      this.#complain(error);
      process.exit(1);
    });
  }

  /**
   * Connects, and enters all that the bot may see. From then on it comes back by itself.
   * @throws BotError why it cannot
   */
  async start(): Promise<Ready> {
    if (this.#problem) throw this.#problem;
    const ready = await new Promise<Ready>((done, failed) => {
      this.#starting = { done, failed };
      this.#connection.open();
    });
    await this.#listeners.tell('ready', ready);
    this.#following.open();
    return ready;
  }

  /** Finishes what it is at, saves how far it has come, and leaves. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => (timer = setTimeout(resolve, patience)));
    await Promise.race([this.#following.idle(), enough]);
    clearTimeout(timer);
    this.#connection.end(new BotError('stopped', 'The bot was stopped.'));
    await this.#following.stop();
  }

  /**
   * Runs any command of the protocol. Waits as long as the server asks for, and while the connection is away.
   * @throws BotError
   */
  command = <C extends CommandName>(name: C, input: Input<C>): Promise<Output<C>> =>
    this.#connection.command(name, input);

  /** Says something in a channel or a conversation. Under an id of one’s own, a version 7 UUID, it is said once however often one tries. */
  say(timelineId: string, body: string, id: string = newId()): Promise<BotMessage> {
    return this.#send({ timelineId, body, id });
  }

  async #send(input: Input<'message:send'>): Promise<BotMessage> {
    const { message } = await this.#saying.add(input.timelineId, () =>
      this.command('message:send', input),
    );
    return this.#meet(message);
  }

  /** The bot itself. @throws BotError before it has started */
  get you(): Account {
    if (!this.#you) throw new BotError('stopped', 'The bot hasn’t been started.');
    return this.#you;
  }

  get servers(): Server[] {
    return [...(this.#following.rooms.mine?.rows('servers').values() ?? [])];
  }

  channels(serverId: string): Channel[] {
    return this.#following.rooms.channels(serverId);
  }

  /** Of two people, or of a group, outside of servers. */
  get conversations(): Conversation[] {
    return [...(this.#following.rooms.mine?.rows('conversations').values() ?? [])];
  }

  members(serverId: string): Member[] {
    return [...(this.#following.rooms.server(serverId)?.rows('members').values() ?? [])];
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  #follow(store: ReturnType<typeof readOptions>['store']): Following {
    const { driver } = this.#connection;
    driver.on('people', ({ people }) => this.#hearPeople(people));
    return new Following(driver, store, {
      command: this.command,
      people: (people) => this.#hearPeople(people),
      message: (message) => this.#hand(message),
      change: (change, room) => this.#tell(change, room),
      complain: (error) => this.#complain(error),
      log: this.#log,
      course: () => (this.#connection.ended ? 'over' : this.#isStopping ? 'stopping' : 'on'),
    });
  }

  async #prepare(ready: Ready): Promise<boolean> {
    this.#you = ready.you;
    return this.#following.prepare(ready).then(
      () => true,
      (error: unknown) => {
        this.#connection.end(error as BotError);
        return false;
      },
    );
  }

  async #onReady(ready: Ready): Promise<void> {
    if (!(await this.#following.begin(ready))) return;
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
    // A line that says what somebody did is nothing said: it is told as a change.
    if (row.authorId === this.#you?.id || row.kind !== undefined) return;
    const replies: Promise<unknown>[] = [];
    const message = this.#meet(row, replies);
    await this.#listeners.tell('message', message);
    // Also what its author did not wait for: only then is it answered.
    const results = await Promise.allSettled(replies);
    for (const result of results) if (result.status === 'rejected') this.#complain(result.reason);
  }

  #meet(row: Message, replies: Promise<unknown>[] = []): BotMessage {
    const { rooms } = this.#following;
    const channel = rooms.channel(row.timelineId);
    const server = channel && rooms.mine?.rows('servers').get(channel.serverId);
    return {
      ...row,
      author: this.#people.get(row.authorId) ?? nobody(row.authorId),
      channel,
      server,
      conversation: rooms.mine?.rows('conversations').get(row.timelineId),
      reply: (body) => {
        const id = replyId(this.you.id, row.id, replies.length);
        const reply = this.#send({ timelineId: row.timelineId, body, id, replyTo: row.id });
        replies.push(reply);
        return reply;
      },
      edit: async (body) =>
        this.#meet((await this.command('message:edit', { messageId: row.id, body })).message),
      delete: async () => {
        await this.command('message:delete', { messageId: row.id });
      },
    };
  }

  #tell(change: Change, room: Room): Promise<void> {
    // Its type is the event’s name, which no compiler follows through a union.
    const listeners = this.#listeners as unknown as {
      tell(type: ChangeType, change: Change, room: Room): Promise<void>;
    };
    return listeners.tell(change.type, change, room);
  }

  #hearPeople(people: People) {
    for (const person of Object.values(people))
      if (person.rev >= (this.#people.get(person.id)?.rev ?? 0))
        this.#people.set(person.id, person);
  }

  /** Once for each error, wherever it passes by. */
  #complain(error: unknown, before = '') {
    if (typeof error === 'object' && error !== null) {
      if (this.#complainedOf.has(error)) return;
      this.#complainedOf.add(error);
    }
    if (!(error instanceof BotError && error.code === 'stopped')) this.#log(before + lineOf(error));
  }

  #end(error: BotError) {
    void this.#following.stop();
    this.#starting?.failed(error);
    if (this.#starting || error.code === 'stopped') return;
    this.#complain(error);
    if (this.#listeners.has('end')) void this.#listeners.tell('end', error);
    else process.exitCode = 1;
  }
}
