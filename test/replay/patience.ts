/** Whether to try again, and when: the server says so, or nothing was heard at all. */
import { setTimeout as sleep } from 'node:timers/promises';
import { waitBefore } from '../../client/sync/backoff.ts';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError, failures } from '../../shared/failure.ts';

/** So often nothing is heard in a row before the server is taken for gone: some two minutes. */
const maxSilences = 12;

/**
 * Tries until it is done. It must be something that may be done twice: whoever heard no answer cannot know.
 * @throws what went wrong, if that will not pass by itself
 */
export async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  for (let silences = 0; ;) {
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof NoResponse && (silences += 1) <= maxSilences)
        await sleep(waitBefore(silences - 1));
      else if (error instanceof ChatError && failures[error.code].retryable)
        await sleep(error.detail.retryAfterMs ?? waitBefore(0));
      else throw error;
    }
  }
}

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
