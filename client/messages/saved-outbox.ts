/** The outboxes of all timelines as this device keeps them: what was not confirmed goes out on the next visit. */
import { Kept } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import { readExtras } from './message-parts.ts';
import type { OutboxEntry, Outbox } from './outbox.ts';
import type { Extras } from './part.ts';

/** Kept by the id that the message will have. */
interface Unsent {
  timelineId: string;
  body: string;
  writtenAt: number;
  extras: Extras;
  /** Why it failed: then it waits for its writer. */
  reason?: string;
}

export const unsent = new Kept('unsent', (found): Unsent | undefined => {
  const { timelineId, body, writtenAt, reason } = asRecord(found);
  if (typeof timelineId !== 'string' || typeof body !== 'string') return undefined;
  if (typeof writtenAt !== 'number') return undefined;
  return {
    ...{ timelineId, body, writtenAt, extras: readExtras(asRecord(asRecord(found).extras)) },
    ...(typeof reason === 'string' && { reason }),
  };
});

/** Keeps what an outbox has become. What another tab has dropped meanwhile stays dropped. */
export function keepOutbox(timelineId: string, before: Outbox, after: Outbox): void {
  const reasons = new Map(before.map(({ id, reason }) => [id, reason]));
  for (const { id, body, writtenAt, extras, reason } of after) {
    const changed = unsent.get(id) && reasons.get(id) !== reason;
    if (!reasons.has(id) || changed)
      unsent.set(id, {
        ...{ timelineId, body, writtenAt, extras },
        ...(reason !== undefined && { reason }),
      });
    reasons.delete(id);
  }
  for (const id of reasons.keys()) unsent.delete(id);
}

/** What is kept for a timeline, in any order. */
export const keptOutbox = (timelineId: string): Outbox =>
  unsent.entries
    .filter(([, kept]) => kept.timelineId === timelineId)
    .map(([id, { timelineId: _, ...kept }]): OutboxEntry => ({
      ...{ id, ...kept },
      state: kept.reason === undefined ? 'waiting' : 'failed',
    }));
