/** A message as bot authors see it: the row, its author and place, and the actions on it. */
import type { Channel } from '../../shared/channels.ts';
import type { Conversation } from '../../shared/conversations.ts';
import type { Message } from '../../shared/messages.ts';
import type { Person } from '../../shared/people.ts';
import type { Server } from '../../shared/servers.ts';

export interface BotMessage extends Message {
  author: Person;
  /** Where it was sent: a channel of a server, or a conversation. Neither if the bot has just lost access. */
  channel: Channel | undefined;
  server: Server | undefined;
  conversation: Conversation | undefined;
  /** Replies once: a reply that was sent before a restart is not sent again. */
  reply: (body: string) => Promise<BotMessage>;
  /** Edits the message, if it is the bot's own. */
  edit: (body: string) => Promise<BotMessage>;
  /** Deletes the message: the bot's own, or anyone’s with the right to manage messages. */
  delete: () => Promise<void>;
}

/** Stands for a person that the server has not described. The name cannot be mistaken for a real one. */
export const unknownPerson = (id: string): Person => ({ id, name: '?', kind: 'guest', rev: 1 });
