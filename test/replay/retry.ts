import { setTimeout as sleep } from 'node:timers/promises';
import { waitBefore } from '../../client/sync/backoff.ts';
import { NoResponse } from '../../client/sync/connection.ts';
import { ChatError, failures } from '../../shared/failure.ts';

/** Attempts without an answer before the server counts as gone: about two minutes. */
const maxSilences = 12;

/**
 * Retries after a lost answer or a retryable error, waiting as long as the server asks for. `attempt` must be
 * idempotent, because the server can have executed a request whose answer was lost.
 * @throws the error, if it is not retryable
 */
export async function retryUntilAnswered<T>(attempt: () => Promise<T>): Promise<T> {
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
