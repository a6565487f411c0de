/** Replies as a part of messages: see messages/part.ts. A row stores only the quoted id; the quote is read with it. */
import { invalid } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import { quoteOf } from '../../shared/quotes.ts';
import type { Quote } from '../../shared/replies.ts';
import { personBytes } from '../people/people.ts';
import type { MessagePart, Quotable } from '../messages/part.ts';

export const replyPart: MessagePart = {
  columns: {
    replyTo: {
      column: 'reply_to',
      type: 'jsonb',
      toStored(field) {
        const { id, silent } = field as Quote;
        return { id, ...(silent && { silent }) };
      },
      // A character of the excerpt takes up to six bytes, or twelve beyond the first plane. The quoted author is added.
      moreBytes: 400 + 12 * limits.excerpt + personBytes,
    },
  },
  async prepare(_db, wordings, find) {
    const ids = wordings.flatMap(({ ask: { replyTo } }) => replyTo ?? []);
    const originals = ids.length === 0 ? new Map<string, Quotable>() : await find(ids);
    return wordings.map(({ timelineId, ask: { replyTo, notify = true } }) => {
      if (replyTo === undefined) return {};
      const original = originals.get(replyTo);
      if (original?.timelineId !== timelineId || original.kind !== undefined)
        return invalid('The message you’re replying to isn’t here.', 'replyTo');
      return { replyTo: { ...quoteOf(original), ...(!notify && { silent: true }) } };
    });
  },
  async complete(messages, find) {
    const ids = messages.flatMap(({ replyTo }) => replyTo?.id ?? []);
    if (ids.length === 0) return messages;
    const originals = await find([...new Set(ids)]);
    return messages.map((message) => withQuote(message, originals));
  },
};

function withQuote(message: Message, originals: ReadonlyMap<string, Quotable>): Message {
  const { replyTo, ...rest } = message;
  const original = replyTo && originals.get(replyTo.id);
  // The quoted message was refused in the same batch, so there is nothing to quote.
  if (original?.timelineId !== message.timelineId) return rest;
  return { ...rest, replyTo: { ...quoteOf(original), ...(replyTo?.silent && { silent: true }) } };
}
