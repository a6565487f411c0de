/**
 * Group commit. Every change of a timeline queues here; while one flush is being committed, what comes
 * meanwhile is the next one. Quiet: a batch of one, and nobody waits. Busy: hundreds a commit.
 */
import type { Account } from '../../shared/accounts.ts';
import { ChatError } from '../../shared/failure.ts';
import type { Message } from '../../shared/messages.ts';
import { isAway } from '../database/database.ts';
import { stubbornly } from '../database/retry.ts';

interface Asked {
  user: Account;
  timelineId: string;
  /** The message's. */
  id: string;
}

/** One change that somebody asks for. */
export type Write = Asked &
  (
    | { do: 'send'; body: string }
    | { do: 'edit'; body: string; base: number | undefined }
    | { do: 'delete' }
  );

/** What became of each write: the message as it now is, or why not. A refusal fails none of its neighbours. */
export type Outcome = Message | ChatError;
export type Flush = (batch: Write[]) => Promise<Outcome[]>;

export interface Writer {
  /**
   * Resolves when the change is durable.
   * @throws ChatError busy when too much is queued already, or the refusal
   */
  write(write: Write): Promise<Message>;
  /** How many wait. */
  depth(): number;
}

interface Queued {
  write: Write;
  done: Promise<Message>;
  resolve: (message: Message) => void;
  reject: (error: unknown) => void;
}

/** Two: with more, batches are small and each pays for its own transaction; with one, a held timeline holds all. */
const lanes = 2;
const mostQueued = 10_000;
const mostInBatch = 1_000;

/** A timeline has its lane, so that its order is that of arrival; another lane's commit does not hold it up. */
export function openWriter(flush: Flush): Writer {
  const queues: Queued[][] = Array.from({ length: lanes }, () => []);
  const flushing = new Set<number>();
  const depth = () => queues.reduce((sum, queue) => sum + queue.length, 0);

  async function drain(lane: number): Promise<void> {
    const queue = queues[lane] ?? [];
    flushing.add(lane);
    while (queue.length > 0) await settle(flush, take(queue));
    flushing.delete(lane);
  }

  return {
    depth,
    async write(write) {
      if (depth() >= mostQueued)
        throw new ChatError('busy', 'Too much is being written at once. Try again.', {
          retryAfterMs: 1_000,
        });
      const lane = laneOf(write.timelineId);
      const queue = queues[lane] ?? [];
      const twin = queue.find((waiting) => isSame(waiting.write, write));
      if (twin !== undefined) return twin.done;
      const queued = enqueue(queue, write);
      // At the end of this turn, so that what arrived together is written together.
      if (!flushing.has(lane)) {
        flushing.add(lane);
        setImmediate(() => void drain(lane));
      }
      return queued.done;
    },
  };
}

const laneOf = (timelineId: string) => Number.parseInt(timelineId.slice(-4), 16) % lanes;

/** The same send once more, while the first still waits: one message, and one answer for both. */
const isSame = (a: Write, b: Write) =>
  a.id === b.id &&
  a.do === 'send' &&
  b.do === 'send' &&
  a.user.id === b.user.id &&
  a.timelineId === b.timelineId;

function enqueue(queue: Queued[], write: Write): Queued {
  const { promise, resolve, reject } = deferred();
  const queued = { write, done: promise, resolve, reject };
  queue.push(queued);
  return queued;
}

function deferred() {
  let resolve!: (message: Message) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<Message>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The next batch: at most one write of each message, since a statement changes a row only once. */
function take(queue: Queued[]): Queued[] {
  const ids = new Set<string>();
  const batch: Queued[] = [];
  const later: Queued[] = [];
  for (const queued of queue.splice(0)) {
    const fits = batch.length < mostInBatch && !ids.has(queued.write.id);
    ids.add(queued.write.id);
    (fits ? batch : later).push(queued);
  }
  queue.push(...later);
  return batch;
}

/** Flushes a batch and answers each of its writers. */
async function settle(flush: Flush, batch: Queued[]): Promise<void> {
  const outcomes = await flushStubbornly(
    flush,
    batch.map(({ write }) => write),
  );
  for (const [i, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[i];
    if (outcome instanceof Error || outcome === undefined) reject(outcome);
    else resolve(outcome);
  }
}

/**
 * Ids make it safe to write the same batch again, even after a connection that was lost during COMMIT, when
 * nobody knows. A batch that fails for another reason is tried one by one, so that what spoils it spoils
 * only itself.
 */
async function flushStubbornly(flush: Flush, batch: Write[]): Promise<(Outcome | Error)[]> {
  const [result] = await Promise.allSettled([stubbornly(() => flush(batch), { evenIfLost: true })]);
  if (result.status === 'fulfilled') return result.value;
  const error: Error =
    result.reason instanceof Error ? result.reason : new Error(String(result.reason));
  if (batch.length === 1 || isAway(error)) return batch.map(() => error);
  const singly: (Outcome | Error)[] = [];
  for (const write of batch) singly.push(...(await flushStubbornly(flush, [write])));
  return singly;
}
