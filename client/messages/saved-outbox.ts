/** The outboxes of all timelines as this device keeps them: what was not confirmed goes out on the next visit. */
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import type { Entry, Outbox } from './outbox.ts';

/** Kept by the id that the message will have. */
interface Unsent {
  timelineId: string;
  body: string;
  writtenAt: number;
  /** Why it failed: then it waits for its writer. */
  reason?: string;
}

export const unsent = new Kept('unsent', (found): Unsent | undefined => {
  const { timelineId, body, writtenAt, reason } = asRecord(found);
  if (typeof timelineId !== 'string' || typeof body !== 'string') return undefined;
  if (typeof writtenAt !== 'number') return undefined;
  return { timelineId, body, writtenAt, ...(typeof reason === 'string' && { reason }) };
});

/** Keeps what an outbox has become. What another tab has dropped meanwhile stays dropped. */
export function keepOutbox(timelineId: string, before: Outbox, after: Outbox): void {
  const reasons = new Map(before.map(({ id, reason }) => [id, reason]));
  for (const { id, body, writtenAt, reason } of after) {
    const changed = unsent.get(id) && reasons.get(id) !== reason;
    if (!reasons.has(id) || changed)
      unsent.set(id, { timelineId, body, writtenAt, ...(reason !== undefined && { reason }) });
    reasons.delete(id);
  }
  for (const id of reasons.keys()) unsent.delete(id);
}

/** What is kept for a timeline, in any order. */
export const keptOutbox = (timelineId: string): Outbox =>
  unsent.entries
    .filter(([, kept]) => kept.timelineId === timelineId)
    .map(([id, { body, writtenAt, reason }]): Entry =>
      reason === undefined
        ? { id, body, writtenAt, state: 'waiting' }
        : { id, body, writtenAt, state: 'failed', reason },
    );
