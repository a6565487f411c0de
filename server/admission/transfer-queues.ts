/**
 * Limits the uploads and downloads of one account. Each queue runs a few at a time, in order. More than a fixed number
 * per account are refused.
 *
 * Attack: a guest requests hundreds of files at once and reads none. Test: moved-files.test.ts.
 */
import pLimit, { type LimitFunction } from 'p-limit';
import { ChatError } from '../../shared/failure.ts';

export interface TransferQueues {
  /** @throws ChatError busy, when too much of the account waits already */
  run<T>(userId: string, name: string, work: () => Promise<T>): Promise<T>;
}

interface Most {
  /** In one queue. */
  atOnce: number;
  /** Of one account, in all its queues. */
  waiting: number;
}

/** Chunks come one after the other for each file; two megabytes may wait. */
export const openUploads = () => openTransferQueues({ atOnce: 1, waiting: 32 });
/** Browsers ask for six at a time; what a page full of pictures asks beyond that waits. */
export const openDownloads = () => openTransferQueues({ atOnce: 6, waiting: 200 });

function openTransferQueues({ atOnce, waiting: most }: Most): TransferQueues {
  const queues = new Map<string, LimitFunction>();
  const waiting = new Map<string, number>();
  return {
    async run(userId, name, work) {
      const before = waiting.get(userId) ?? 0;
      if (before >= most) throw tooMuch();
      waiting.set(userId, before + 1);
      // Nobody else's file is held up by somebody who guesses its id.
      const key = [userId, name].join();
      const queue = queues.get(key) ?? pLimit(atOnce);
      queues.set(key, queue);
      try {
        return await queue(work);
      } finally {
        const after = (waiting.get(userId) ?? 1) - 1;
        if (after === 0) waiting.delete(userId);
        else waiting.set(userId, after);
        if (queue.activeCount + queue.pendingCount === 0) queues.delete(key);
      }
    },
  };
}

const tooMuch = () =>
  new ChatError('busy', 'That’s too many files at the same time. Try again in a moment.', {
    retryAfterMs: 500,
  });
