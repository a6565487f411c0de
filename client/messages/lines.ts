/**
 * What the timeline draws: the messages of the window, then mine that are on their way, each under its id. What its own
 * author deleted leaves no line, but its position.
 */
import type { Message } from '../../shared/messages.ts';
import { startsDay, startsGroup } from './grouping.ts';
import type { OutboxEntry, Outbox } from './outbox.ts';

export interface MessageItem {
  id: string;
  authorId: string;
  at: number;
  body: string;
  deleted: boolean;
  startsDay: boolean;
  startsGroup: boolean;
  /** The first that I had not read when I came. */
  startsNew: boolean;
  /** What the server has. */
  message?: Message;
  /** What it has not confirmed. */
  entry?: OutboxEntry;
}

type Bare = Omit<MessageItem, 'startsDay' | 'startsGroup' | 'startsNew'>;

interface Divisions {
  /** The position of the first message that is new. */
  firstNew?: number | undefined;
  /** Whether a row names its author, whoever wrote the one above. */
  namesAuthor?: (line: Bare) => boolean;
}

export function linesOf(
  messages: readonly Message[],
  outbox: Outbox,
  me: string,
  { firstNew, namesAuthor = () => false }: Divisions = {},
): MessageItem[] {
  const arrived = new Set(messages.map(({ id }) => id));
  const bare = [
    ...messages.filter((message) => !isGone(message)).map(fromMessage),
    ...outbox.filter(({ id }) => !arrived.has(id)).map((entry) => fromEntry(entry, me)),
  ];
  const newFrom =
    firstNew === undefined || firstNew < (messages[0]?.position ?? 0) ? Infinity : firstNew;
  // What was deleted is new to nobody.
  const newAt = bare.findIndex(
    ({ message, deleted }) => message && !deleted && message.position >= newFrom,
  );
  return bare.map((line, index) => {
    const before = bare[index - 1];
    const startsNew = index === newAt;
    return {
      ...line,
      startsNew,
      startsDay: startsDay(line, before),
      startsGroup: startsNew || namesAuthor(line) || startsGroup(line, before),
    };
  });
}

/** Whether its own author deleted it. What somebody else deleted keeps a line that says who did. */
export const isGone = ({ deletedAt, deletedBy }: Message) =>
  deletedAt !== undefined && deletedBy === undefined;

/** From where on a line stands for what is read with it: what is gone before it, or folded into it, has no line. */
export function coversFrom(
  lines: readonly Pick<MessageItem, 'message'>[],
  position: number,
): number | undefined {
  const before = lines.findLast(({ message }) => message && message.position < position);
  return before?.message && before.message.position + 1;
}

const fromMessage = (message: Message): Bare => ({
  id: message.id,
  authorId: message.authorId,
  at: Date.parse(message.createdAt),
  body: message.body,
  deleted: message.deletedAt !== undefined,
  message,
});

const fromEntry = (entry: OutboxEntry, me: string): Bare => ({
  id: entry.id,
  authorId: me,
  at: entry.writtenAt,
  body: entry.body,
  deleted: false,
  entry,
});

/** Whether somebody wrote it: a line may tell what they did. */
export const isSaid = ({ message }: Pick<MessageItem, 'message'>) => message?.kind === undefined;
