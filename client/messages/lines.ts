/**
 * The rows that a timeline draws: the messages of the window, then unsent ones, each under its id. A message deleted by
 * its author has no row, but keeps its position.
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
  /** True for the first message that was unread when the timeline was opened. */
  startsNew: boolean;
  isLast: boolean;
  /** Set if the row replaces several messages that the same moderator deleted. */
  deletedCount?: number;
  /** Set once the server has confirmed the message; `entry` is set before that. */
  message?: Message;
  entry?: OutboxEntry;
}

type Bare = Omit<MessageItem, 'startsDay' | 'startsGroup' | 'startsNew' | 'isLast'>;

interface Divisions {
  firstNew?: number | undefined;
  /** True if a row shows its author even if the row above has the same. */
  namesAuthor?: (line: Bare) => boolean;
}

/** The result returns the last equal line, so that a list renders only rows that have changed. */
export function reuser() {
  const lastLines = new WeakMap<object, MessageItem>();
  return (line: MessageItem): MessageItem => {
    const key = line.message ?? line.entry ?? line;
    const last = lastLines.get(key);
    if (last && compared.every((field) => last[field] === line[field])) return last;
    lastLines.set(key, line);
    return line;
  };
}

/** The fields that can change while the message or entry is the same object. */
const compared = ['startsDay', 'startsGroup', 'startsNew', 'isLast', 'deletedCount'] as const;

const reused = reuser();

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
  // A deleted message is never new.
  const newAt = bare.findIndex(
    ({ message, deleted }) => message && !deleted && message.position >= newFrom,
  );
  return bare.map((line, index) => {
    const before = bare[index - 1];
    const startsNew = index === newAt;
    return reused({
      ...line,
      startsNew,
      startsDay: startsDay(line, before),
      startsGroup: startsNew || namesAuthor(line) || startsGroup(line, before),
      isLast: index === bare.length - 1,
    });
  });
}

/** True if its author deleted it. A message deleted by another user keeps a row that names that user. */
export const isGone = ({ deletedAt, deletedBy }: Message) =>
  deletedAt !== undefined && deletedBy === undefined;

/** The first position that a row covers. Deleted messages before it and messages folded into it have no row. */
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

export const isDeleted = ({ deletedAt }: Message) => deletedAt !== undefined;

/** True for a message written by a person; a system message reports an action. */
export const isSaid = ({ message }: Pick<MessageItem, 'message'>) => message?.kind === undefined;

export const lastSaidBy = (userId: string, messages: readonly Message[]) =>
  messages.findLast(
    (message) =>
      message.authorId === userId && message.deletedAt === undefined && isSaid({ message }),
  );
