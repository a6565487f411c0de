/** The current state of quoted messages, from rows and changes: a reply’s row does not change with its quote. */
import type { Message } from '../../shared/messages.ts';
import { quoteOf } from '../../shared/quotes.ts';
import type { Quote } from '../../shared/replies.ts';

export type Quotes = Map<string, Quote>;

/** Accepts rows in any order. */
export function learnQuotes(quotes: Quotes, messages: readonly Message[]): void {
  const learn = (quote: Quote) => {
    if (quote.version > (quotes.get(quote.id)?.version ?? -1)) quotes.set(quote.id, quote);
  };
  for (const { replyTo } of messages) if (replyTo) learn(replyTo);
  for (const message of messages) if (quotes.has(message.id)) learn(quoteOf(message));
}

export function withQuote(message: Message, quotes: ReadonlyMap<string, Quote>): Message {
  const { replyTo } = message;
  if (!replyTo) return message;
  const { silent: _, ...newest } = quotes.get(replyTo.id) ?? replyTo;
  return { ...message, replyTo: { ...newest, ...(replyTo.silent && { silent: true }) } };
}
