/** What waits to be written, taken and answered in batches. */
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
 * Moves what fits into the batch: at most one write of each message, since a statement changes a row only once, or
 * many that are one change of it. What comes after one that waits must not overtake it.
 */
export function take(queue: Queued[], batch: Queued[], most = maxInBatch): void {
  const first = new Map(batch.map(({ write }) => [write.id, write]));
  const waiting = new Set<string>();
  const later: Queued[] = [];
  let taken = 0;
  for (const queued of queue.splice(0)) {
    const { write } = queued;
    const known = first.get(write.id);
    const isFree = !waiting.has(write.id) && (known === undefined || mergesWith(known, write));
    const fits = taken < most && batch.length < maxInBatch && isFree;
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

/** Flushes a batch and answers its writers, but for those whose timeline is held: these are returned. */
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
 * Ids make it safe to write the same batch again, even after a connection that was lost during COMMIT, when
 * nobody knows. A batch that fails for another reason is tried one by one, so that what spoils it spoils
 * only itself.
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
    // What comes after one that is held must not overtake it.
    const outcomes = held.has(write.timelineId)
      ? (['held'] as const)
      : await flushStubbornly(flush, [write]);
    if (outcomes[0] === 'held') held.add(write.timelineId);
    singly.push(...outcomes);
  }
  return singly;
}
