/** Sends the read positions to the server: the latest of each timeline, at most once a second, while connected. */
import { ChatError } from '../../shared/failure.ts';
import { isOpen, on, send } from '../session/socket.ts';
import { reads } from './reads.svelte.ts';

const intervalMs = 1_000;
let resting = false;

export function noteRead(timelineId: string, position: number): void {
  if (reads.readTo(timelineId, position)) sendNext();
}

/** Marks a timeline as unread from a position on; null removes the mark. */
export async function markUnread(timelineId: string, position: number | null): Promise<void> {
  const { mark } = await send('read:mark', { timelineId, position });
  reads.receive({ id: timelineId, mark });
}

const unmarking = new Set<string>();

/** If this fails, the next visit tries again. */
export function unmark(timelineId: string): void {
  if (typeof reads.of(timelineId)?.mark?.position !== 'number' || unmarking.has(timelineId)) return;
  unmarking.add(timelineId);
  markUnread(timelineId, null)
    .catch(() => undefined)
    .finally(() => unmarking.delete(timelineId));
}

/** Marks everything as read, even if not seen. Sent at once, because the user can be about to leave. */
export function markRead(timelineId: string, to = reads.of(timelineId)?.last): void {
  unmark(timelineId);
  if (to !== undefined && reads.readTo(timelineId, to)) void sendRead(timelineId, to);
}

function sendNext(): void {
  const [next] = reads.unconfirmed;
  if (!next || resting || !isOpen()) return;
  resting = true;
  setTimeout(() => {
    resting = false;
    sendNext();
  }, intervalMs);
  void sendRead(...next);
}

async function sendRead(timelineId: string, position: number): Promise<void> {
  try {
    await send('read:update', { timelineId, position });
    reads.confirm(timelineId, position);
  } catch (error) {
    // After a retryable error, the position stays unconfirmed and is sent again.
    if (error instanceof ChatError && !error.detail.retryable) reads.giveUp(timelineId);
  }
}

on('ready', sendNext);
