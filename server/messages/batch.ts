/** Queues of writes: takes a batch from a queue, flushes it, and answers its writers. */
import { isAway, isLockTimeout } from '../database/database.ts';
import { withRetry } from '../database/retry.ts';
import type { Message } from '../../shared/messages.ts';
import type { LockBusy, Outcome, Write } from './write.ts';

type Flush = (batch: Write[]) => Promise<(Outcome | LockBusy)[]>;

export interface Queued {
  write: Write;
  /** By performance.now(). */
  since: number;
  done: Promise<Message>;
  resolve: (message: Message) => void;
  reject: (error: unknown) => void;
}

export const maxInBatch = 1_000;

export function enqueue(queue: Queued[], write: Write): Queued {
  const queued = { write, since: performance.now(), ...deferred() };
  queue.push(queued);
  return queued;
}

function deferred() {
  let resolve!: (message: Message) => void;
  let reject!: (error: unknown) => void;
  const done = new Promise<Message>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { done, resolve, reject };
}

/**
 * Moves up to `limit` writes to the batch. A statement changes a row only once, so a batch has one write of each
 * message, or several that merge. Writes behind one that stays for the same message stay too, to keep their order.
 */
export function take(queue: Queued[], batch: Queued[], limit = maxInBatch): void {
  const first = new Map(batch.map(({ write }) => [write.id, write]));
  const waiting = new Set<string>();
  const later: Queued[] = [];
  let taken = 0;
  for (const queued of queue.splice(0)) {
    const { write } = queued;
    const known = first.get(write.id);
    const isFree = !waiting.has(write.id) && (known === undefined || mergesWith(known, write));
    const fits = taken < limit && batch.length < maxInBatch && isFree;
    if (fits) {
      taken += 1;
      first.set(write.id, write);
      batch.push(queued);
    } else {
      waiting.add(write.id);
      later.push(queued);
    }
  }
  queue.push(...later);
}

const mergesWith = (a: Write, b: Write) =>
  a.do === 'part' && b.do === 'part' && a.part === b.part && a.part.merges;

/** Flushes a batch and answers its writers. Returns the writes whose timeline is locked, which wait. */
export async function settleBatch(flush: Flush, batch: Queued[]): Promise<Queued[]> {
  const outcomes = await flushStubbornly(
    flush,
    batch.map(({ write }) => write),
  );
  return batch.filter(({ resolve, reject }, i) => {
    const outcome = outcomes[i];
    if (outcome === 'held') return true;
    if (outcome instanceof Error || outcome === undefined) reject(outcome);
    else resolve(outcome);
    return false;
  });
}

/**
 * Ids make it safe to write the same batch again, even after the connection was lost during COMMIT and the outcome is
 * unknown. After another error, tries the writes one by one, so that only the write that causes it fails.
 */
async function flushStubbornly(
  flush: Flush,
  batch: Write[],
): Promise<(Outcome | LockBusy | Error)[]> {
  const [result] = await Promise.allSettled([withRetry(() => flush(batch), { evenIfLost: true })]);
  if (result.status === 'fulfilled') return result.value;
  const error: Error =
    result.reason instanceof Error ? result.reason : new Error(String(result.reason));
  if (isLockTimeout(error)) return batch.map(() => 'held');
  if (batch.length === 1 || isAway(error)) return batch.map(() => error);
  const singly: (Outcome | LockBusy | Error)[] = [];
  const held = new Set<string>();
  for (const write of batch) {
    // A write behind a held one must not overtake it.
    const outcomes = held.has(write.timelineId)
      ? (['held'] as const)
      : await flushStubbornly(flush, [write]);
    if (outcomes[0] === 'held') held.add(write.timelineId);
    singly.push(...outcomes);
  }
  return singly;
}
