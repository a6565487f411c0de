/**
 * Messages that the server has not confirmed (rule 4 of the client, docs/architecture.md). An entry keeps its id
 * through all retries, so the ack and the change confirm the same message, whichever comes first.
 */
import type { Extras } from './drafts.ts';

export interface OutboxEntry {
  /** A version 7 UUID made by the client: sending it twice creates one message. */
  id: string;
  body: string;
  writtenAt: number;
  extras: Extras;
  state: 'waiting' | 'sending' | 'failed';
  /** Why sending failed, in words for the author. */
  reason?: string;
  /** When it is sent again automatically, after the server's rate limit. */
  sendAgainAt?: number;
}

export type Outbox = readonly OutboxEntry[];

type Written = Pick<OutboxEntry, 'id' | 'body' | 'writtenAt' | 'extras'>;

export const write = (outbox: Outbox, written: Written): Outbox => [
  ...outbox,
  { ...written, state: 'waiting' },
];

/** Merges saved entries into the outbox, in the order of their ids, which is the order of writing. */
export function join(outbox: Outbox, kept: Outbox): Outbox {
  const held = new Set(outbox.map(({ id }) => id));
  const joined = [...outbox, ...kept.filter(({ id }) => !held.has(id))];
  return joined.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * One message is sent at a time, in the order of writing. A failed entry does not block others: it waits for its
 * author.
 */
export function nextToSend(outbox: Outbox, now: number): OutboxEntry | undefined {
  const first = outbox.find(({ state }) => state !== 'failed');
  return first?.state === 'waiting' && (first.sendAgainAt ?? 0) <= now ? first : undefined;
}

/** The time until the first message may be sent, in ms; 0 if it does not wait for a certain time. */
export function waitOf(outbox: Outbox, now: number): number {
  const first = outbox.find(({ state }) => state !== 'failed');
  return first?.state === 'waiting' ? Math.max(0, (first.sendAgainAt ?? 0) - now) : 0;
}

export const sending = (outbox: Outbox, id: string) =>
  change(outbox, id, (entry) => ({ ...written(entry), state: 'sending' }));

/** The connection was lost while sending: the message may have arrived, and sending it again is safe. */
export const waiting = (outbox: Outbox, id: string) =>
  change(outbox, id, (entry) => ({ ...written(entry), state: 'waiting' }));

export const waitingUntil = (outbox: Outbox, id: string, sendAgainAt: number) =>
  change(outbox, id, (entry) => ({ ...entry, state: 'waiting', sendAgainAt }));

export const failed = (outbox: Outbox, id: string, reason: string) =>
  change(outbox, id, (entry) => ({ ...written(entry), state: 'failed', reason }));

const written = ({ id, body, writtenAt, extras }: OutboxEntry): Written => ({
  id,
  body,
  writtenAt,
  extras,
});

/** Removes entries that are confirmed or withdrawn. */
export function without(outbox: Outbox, ids: readonly string[]): Outbox {
  const ended = new Set(ids);
  return outbox.some(({ id }) => ended.has(id))
    ? outbox.filter(({ id }) => !ended.has(id))
    : outbox;
}

const change = (outbox: Outbox, id: string, to: (entry: OutboxEntry) => OutboxEntry): Outbox =>
  outbox.map((entry) => (entry.id === id ? to(entry) : entry));
