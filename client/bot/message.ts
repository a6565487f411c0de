/** A message as a bot's author meets it: the row, who wrote it and where, and what can be done with it. */
import type { Channel } from '../../shared/channels.ts';
import type { Conversation } from '../../shared/conversations.ts';
import type { Message } from '../../shared/messages.ts';
import type { Person } from '../../shared/people.ts';
import type { Server } from '../../shared/servers.ts';

export interface BotMessage extends Message {
  author: Person;
  /** Where it was said: a channel of a server, or a conversation; neither, if the bot was just moved out of there. */
  channel: Channel | undefined;
  server: Server | undefined;
  conversation: Conversation | undefined;
  /** Answers, once: what was sent before a restart is not sent again. */
  reply: (body: string) => Promise<BotMessage>;
  /** Rewrites one’s own message. */
  edit: (body: string) => Promise<BotMessage>;
  /** Empties it: one’s own, or anybody’s with the right to manage messages. */
  delete: () => Promise<void>;
}

/** Somebody of whom nothing was told: a name that cannot be taken for one. */
export const nobody = (id: string): Person => ({ id, name: '?', kind: 'guest', rev: 1 });
