/** Replies as a part of messages: see messages/part.ts. A row keeps whom it answers; what that says is read with it. */
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
      keep(field) {
        const { id, silent } = field as Quote;
        return { id, ...(silent && { silent }) };
      },
      // Of the excerpt a character may take six bytes, or twelve beyond the first plane; and its author comes along.
      moreBytes: 400 + 12 * limits.excerpt + personBytes,
    },
  },
  send: {
    ids: ({ replyTo }) => (replyTo === undefined ? [] : [replyTo]),
    fields({ replyTo, notify = true }, timelineId, find) {
      if (replyTo === undefined) return {};
      const original = find(replyTo);
      if (original?.timelineId !== timelineId || original.kind !== undefined)
        return invalid('The message you’re replying to isn’t here.', 'replyTo');
      return { replyTo: { ...quoteOf(original), ...(!notify && { silent: true }) } };
    },
  },
  async complete(messages, find) {
    const ids = messages.flatMap(({ replyTo }) => replyTo?.id ?? []);
    if (ids.length === 0) return messages;
    const originals = await find([...new Set(ids)]);
    return messages.map((message) => withQuote(message, originals));
  },
  called: ({ replyTo }) => (replyTo === undefined || replyTo.silent ? [] : [replyTo.authorId]),
};

function withQuote(message: Message, originals: ReadonlyMap<string, Quotable>): Message {
  const { replyTo, ...rest } = message;
  const original = replyTo && originals.get(replyTo.id);
  // Sent together with a message that was refused, it answers nothing.
  if (original?.timelineId !== message.timelineId) return rest;
  return { ...rest, replyTo: { ...quoteOf(original), ...(replyTo?.silent && { silent: true }) } };
}
