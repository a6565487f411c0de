import pLimit, { type LimitFunction } from 'p-limit';
import { ChatError } from '../../shared/failure.ts';

/** How many chunks of one account may wait here, of all its files and sockets: two megabytes. */
const most = 32;

/** Chunks under way: those of one file one after the other, in the order in which they came. */
export interface Uploads {
  /** @throws ChatError busy, when too many of the account wait already */
  run<T>(userId: string, fileId: string, work: () => Promise<T>): Promise<T>;
}

export function openUploads(): Uploads {
  const lines = new Map<string, LimitFunction>();
  const waiting = new Map<string, number>();
  return {
    async run(userId, fileId, work) {
      const before = waiting.get(userId) ?? 0;
      if (before >= most) throw tooMany();
      waiting.set(userId, before + 1);
      // Nobody else's file is held up by somebody who guesses its id.
      const key = `${userId} ${fileId}`;
      const line = lines.get(key) ?? pLimit(1);
      lines.set(key, line);
      try {
        return await line(work);
      } finally {
        const after = (waiting.get(userId) ?? 1) - 1;
        if (after === 0) waiting.delete(userId);
        else waiting.set(userId, after);
        if (line.activeCount + line.pendingCount === 0) lines.delete(key);
      }
    },
  };
}

const tooMany = () =>
  new ChatError('busy', 'You’re uploading too much at the same time. Try again in a moment.', {
    retryAfterMs: 500,
  });
