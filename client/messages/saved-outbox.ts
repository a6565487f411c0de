/** The outboxes of all timelines in this device's storage. Unconfirmed messages are sent at the next visit. */
import { SavedMap } from '../device/saved.ts';
import { asRecord } from '../device/storage.ts';
import type { Extras } from './drafts.ts';
import { readExtras } from './message-parts.ts';
import type { OutboxEntry, Outbox } from './outbox.ts';

interface SavedEntry {
  timelineId: string;
  body: string;
  writtenAt: number;
  extras: Extras;
  /** The reason of the failure; a failed message waits for its author. */
  reason?: string;
}

export const savedOutbox = new SavedMap('unsent', (found): SavedEntry | undefined => {
  const { timelineId, body, writtenAt, reason } = asRecord(found);
  if (typeof timelineId !== 'string' || typeof body !== 'string') return undefined;
  if (typeof writtenAt !== 'number') return undefined;
  return {
    ...{ timelineId, body, writtenAt, extras: readExtras(asRecord(asRecord(found).extras)) },
    ...(typeof reason === 'string' && { reason }),
  };
});

/** Saves the changes of an outbox. Entries that another tab has removed stay removed. */
export function saveOutbox(timelineId: string, before: Outbox, after: Outbox): void {
  const reasons = new Map(before.map(({ id, reason }) => [id, reason]));
  for (const { id, body, writtenAt, extras, reason } of after) {
    const changed = savedOutbox.get(id) && reasons.get(id) !== reason;
    if (!reasons.has(id) || changed)
      savedOutbox.set(id, {
        ...{ timelineId, body, writtenAt, extras },
        ...(reason !== undefined && { reason }),
      });
    reasons.delete(id);
  }
  for (const id of reasons.keys()) savedOutbox.delete(id);
}

/** The saved entries of a timeline, in any order. */
export const loadOutbox = (timelineId: string): Outbox =>
  savedOutbox.entries
    .filter(([, saved]) => saved.timelineId === timelineId)
    .map(([id, { timelineId: _, ...saved }]): OutboxEntry => ({
      ...{ id, ...saved },
      state: saved.reason === undefined ? 'waiting' : 'failed',
    }));
