import { SvelteMap } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';
import type { Quote } from '../../shared/replies.ts';
import type { MessageItem } from '../messages/lines.ts';
import { learnQuotes, withQuote } from './quotes.ts';
import { repliedTo, type Quoted } from './replying.ts';

const received = new SvelteMap<string, SvelteMap<string, Quote>>();

export function receiveQuotes(timelineId: string, rows: readonly Message[]): void {
  let quotes = received.get(timelineId);
  if (!quotes) {
    if (!rows.some(({ replyTo }) => replyTo)) return;
    quotes = new SvelteMap();
    received.set(timelineId, quotes);
  }
  learnQuotes(quotes, rows);
}

export const forgetQuotes = (timelineId: string): void => void received.delete(timelineId);

/** The newest known state of the message that this one replies to. */
export function quoteFor(timelineId: string, line: MessageItem): Quoted | undefined {
  const reply = repliedTo(line);
  return reply && (newest(timelineId, reply.id) ?? reply);
}

/** The rows with the newest known state of what they quote. */
export function withQuotes(timelineId: string, rows: readonly Message[]): readonly Message[] {
  const quotes = received.get(timelineId);
  return quotes ? rows.map((row) => withQuote(row, quotes)) : rows;
}

export const excerptIn = (timelineId: string, { id, excerpt }: Quoted): string =>
  newest(timelineId, id)?.excerpt ?? excerpt;

const newest = (timelineId: string, id: string) => received.get(timelineId)?.get(id);
