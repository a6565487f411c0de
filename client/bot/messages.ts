import type { Account } from '../../shared/accounts.ts';
import type { Message } from '../../shared/messages.ts';
import type { People, Person } from '../../shared/people.ts';
import type { Input } from '../../shared/protocol.ts';
import type { BotConnection } from './connection.ts';
import { uploadFile, type BotFile } from './files.ts';
import { replyId } from './ids.ts';
import { KeyedQueue } from './keyed-queue.ts';
import { unknownPerson, type BotMessage } from './message.ts';
import type { Rooms } from './rooms.ts';

interface Sender {
  command: BotConnection['command'];
  rooms: () => Rooms;
  /** @throws BotError before the bot has started */
  you: () => Account;
}

export class Messages {
  readonly #sender: Sender;
  /** Sends messages one at a time per timeline, in order. */
  readonly #saying = new KeyedQueue();
  readonly #people = new Map<string, Person>();

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  person(id: string): Person | undefined {
    return this.#people.get(id);
  }

  receivePeople(people: People) {
    for (const person of Object.values(people))
      if (person.rev >= (this.#people.get(person.id)?.rev ?? 0))
        this.#people.set(person.id, person);
  }

  async send(
    input: Input<'message:send'> & { id: string },
    files: readonly BotFile[] = [],
  ): Promise<BotMessage> {
    const { id, timelineId } = input;
    const { command, you } = this.#sender;
    const { message } = await this.#saying.add(timelineId, async () => {
      const attached = [];
      for (const [ordinal, file] of files.entries()) {
        const place = { id: replyId(you().id, id, ordinal), timelineId };
        attached.push(await uploadFile(command, place, file));
      }
      return command('message:send', {
        ...input,
        ...(attached.length > 0 && { files: attached }),
      });
    });
    return this.describe(message);
  }

  /** Describes a row for the bot's author. Replies through it are added to `replies`. */
  describe(row: Message, replies: Promise<unknown>[] = []): BotMessage {
    const { command, you } = this.#sender;
    const rooms = this.#sender.rooms();
    const channel = rooms.channel(row.timelineId);
    const server = channel && rooms.mine?.rows('servers').get(channel.serverId);
    return {
      ...row,
      author: this.#people.get(row.authorId) ?? unknownPerson(row.authorId),
      channel,
      server,
      conversation: rooms.mine?.rows('conversations').get(row.timelineId),
      reply: (body) => {
        const id = replyId(you().id, row.id, replies.length);
        const reply = this.send({ timelineId: row.timelineId, body, id, replyTo: row.id });
        replies.push(reply);
        return reply;
      },
      edit: async (body) =>
        this.describe((await command('message:edit', { messageId: row.id, body })).message),
      delete: async () => {
        await command('message:delete', { messageId: row.id });
      },
    };
  }
}
