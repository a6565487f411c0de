/** The rows of a timeline as shown: messages of blocked users and runs of deleted messages are joined. */
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { foldLines, joinDeleted } from './folding.ts';
import { linesOf, type MessageItem } from './lines.ts';
import { messageParts } from './message-parts.ts';
import type { ReadingPosition } from './reading.svelte.ts';
import type { Timeline } from './timeline.svelte.ts';

export const shownLines = (
  { window: { rows }, outbox }: Timeline,
  reading: ReadingPosition,
  unfolded: readonly string[],
) => {
  const isUnfolded = new Set(unfolded);
  return joinDeleted(
    foldLines(
      linesOf(rows, outbox, account.id, { firstNew: reading.firstNew, namesAuthor }),
      ({ id, authorId, message }) =>
        blocks.has(authorId) &&
        !isUnfolded.has(id) &&
        (message === undefined || message.position !== reading.marked),
    ),
  );
};

const namesAuthor = (line: Pick<MessageItem, 'message' | 'entry'>) =>
  messageParts.some(({ startsGroup }) => startsGroup?.(line));
