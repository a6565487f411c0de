/** What the timeline draws: the messages of the window, then mine that are on their way, each under its id. */
import type { Message } from '../../shared/messages.ts';
import type { Quote } from '../../shared/replies.ts';
import { startsDay, startsGroup } from './grouping.ts';
import type { Entry, Outbox } from './outbox.ts';

export interface Line {
  id: string;
  authorId: string;
  at: number;
  body: string;
  deleted: boolean;
  startsDay: boolean;
  startsGroup: boolean;
  /** The first that I had not read when I came. */
  startsNew: boolean;
  /** What it answers. */
  reply?: Quoted;
  /** What the server has. */
  message?: Message;
  /** What it has not confirmed. */
  entry?: Entry;
}

/** What a reply answers, as far as it is known. */
export type Quoted = Pick<Quote, 'id' | 'authorId' | 'excerpt'> &
  Partial<Pick<Quote, 'position' | 'deletedAt'>>;

type Bare = Omit<Line, 'startsDay' | 'startsGroup' | 'startsNew'>;

export function linesOf(
  messages: readonly Message[],
  outbox: Outbox,
  me: string,
  firstNew?: number,
): Line[] {
  const arrived = new Set(messages.map(({ id }) => id));
  const bare = [
    ...messages.map(fromMessage),
    ...outbox.filter(({ id }) => !arrived.has(id)).map((entry) => fromEntry(entry, me)),
  ];
  return bare.map((line, index) => {
    const before = bare[index - 1];
    const startsNew = firstNew !== undefined && line.message?.position === firstNew;
    return {
      ...line,
      startsNew,
      startsDay: startsDay(line, before),
      startsGroup: startsNew || startsGroup(line, before),
    };
  });
}

const fromMessage = (message: Message): Bare => ({
  id: message.id,
  authorId: message.authorId,
  at: Date.parse(message.createdAt),
  body: message.body,
  deleted: message.deletedAt !== undefined,
  ...(message.replyTo && { reply: message.replyTo }),
  message,
});

const fromEntry = (entry: Entry, me: string): Bare => ({
  id: entry.id,
  authorId: me,
  at: entry.writtenAt,
  body: entry.body,
  deleted: false,
  ...(entry.reply && { reply: entry.reply }),
  entry,
});
