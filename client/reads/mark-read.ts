/** Tells the server how far I have read: at most once a second, the latest position, and only when it can hear. */
import { ChatError } from '../../shared/failure.ts';
import { isOpen, on, send } from '../session/socket.ts';
import { reads } from './reads.svelte.ts';

const apart = 1_000;
let resting = false;

export function noteRead(timelineId: string, position: number): void {
  if (reads.readTo(timelineId, position)) tellNext();
}

/** Marks a timeline as unread from a position on; with null, no longer. */
export async function markUnread(timelineId: string, position: number | null): Promise<void> {
  const { mark } = await send('read:mark', { timelineId, position });
  reads.hear({ id: timelineId, mark });
}

const unmarking = new Set<string>();

/** If that fails, the next visit tries again. */
export function unmark(timelineId: string): void {
  if (typeof reads.of(timelineId)?.mark?.position !== 'number' || unmarking.has(timelineId)) return;
  unmarking.add(timelineId);
  markUnread(timelineId, null)
    .catch(() => undefined)
    .finally(() => unmarking.delete(timelineId));
}

/** All that is there now, seen or not. */
export function markRead(timelineId: string): void {
  unmark(timelineId);
  const last = reads.of(timelineId)?.last;
  if (last !== undefined) noteRead(timelineId, last);
}

function tellNext(): void {
  const [next] = reads.unconfirmed;
  if (!next || resting || !isOpen()) return;
  resting = true;
  setTimeout(() => {
    resting = false;
    tellNext();
  }, apart);
  void tell(...next);
}

async function tell(timelineId: string, position: number): Promise<void> {
  try {
    await send('read:update', { timelineId, position });
    reads.confirm(timelineId, position);
  } catch (error) {
    // Whatever may be tried again stays unconfirmed, and is.
    if (error instanceof ChatError && !error.detail.retryable) reads.giveUp(timelineId);
  }
}

on('ready', tellNext);
