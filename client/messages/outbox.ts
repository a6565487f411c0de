/**
 * What I wrote and the server has not confirmed (rule 4 of the client, docs/architecture.md). An entry keeps its id from
 * the first key to the last retry, so the ack and the change confirm the same thing, whichever comes first.
 */
import type { Extras } from './part.ts';

export interface OutboxEntry {
  /** Made here, a version 7 UUID: sending it twice is the same message. */
  id: string;
  body: string;
  writtenAt: number;
  extras: Extras;
  state: 'waiting' | 'sending' | 'failed';
  /** Why it was not sent, in words for the writer. */
  reason?: string;
  /** When it goes out by itself after the server asked for patience. */
  sendAgainAt?: number;
}

export type Outbox = readonly OutboxEntry[];

type Written = Pick<OutboxEntry, 'id' | 'body' | 'writtenAt' | 'extras'>;

export const write = (outbox: Outbox, written: Written): Outbox => [
  ...outbox,
  { ...written, state: 'waiting' },
];

/** What is kept joins what is held, in the order of writing, which is that of the ids. */
export function join(outbox: Outbox, kept: Outbox): Outbox {
  const held = new Set(outbox.map(({ id }) => id));
  const joined = [...outbox, ...kept.filter(({ id }) => !held.has(id))];
  return joined.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** One send in flight, in the order of writing. A failed entry holds nobody up: it waits for its writer. */
export function nextToSend(outbox: Outbox, now: number): OutboxEntry | undefined {
  const first = outbox.find(({ state }) => state !== 'failed');
  return first?.state === 'waiting' && (first.sendAgainAt ?? 0) <= now ? first : undefined;
}

export const sending = (outbox: Outbox, id: string) =>
  change(outbox, id, (entry) => ({ ...written(entry), state: 'sending' }));

/** The connection was lost under it: nobody knows whether it arrived, and sending it again does no harm. */
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

/** Confirmed, or withdrawn by its writer. */
export function without(outbox: Outbox, ids: readonly string[]): Outbox {
  const ended = new Set(ids);
  return outbox.some(({ id }) => ended.has(id))
    ? outbox.filter(({ id }) => !ended.has(id))
    : outbox;
}

const change = (outbox: Outbox, id: string, to: (entry: OutboxEntry) => OutboxEntry): Outbox =>
  outbox.map((entry) => (entry.id === id ? to(entry) : entry));
