/** The rows of a timeline as shown: messages of blocked users are folded until the user shows them. */
import { account } from '../accounts/account.svelte.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { foldLines } from './folding.ts';
import { linesOf, type MessageItem } from './lines.ts';
import { messageParts } from './message-parts.ts';
import type { ReadingPosition } from './reading.svelte.ts';
import type { Timeline } from './timeline.svelte.ts';

export const shownLines = (
  { window: { rows }, outbox }: Timeline,
  reading: ReadingPosition,
  unfolded: ReadonlySet<string>,
) =>
  foldLines(
    linesOf(rows, outbox, account.id, { firstNew: reading.firstNew, namesAuthor }),
    ({ id, authorId, message }) =>
      blocks.has(authorId) &&
      !unfolded.has(id) &&
      (message === undefined || message.position !== reading.marked),
  );

const namesAuthor = (line: Pick<MessageItem, 'message' | 'entry'>) =>
  messageParts.some(({ startsGroup }) => startsGroup?.(line));
