import { setTimeout as sleep } from 'node:timers/promises';
import { isAway, isLockTimeout, sqlState } from './database.ts';

const attempts = 4;
/** Milliseconds. By then the caller has given up, and retries itself. */
const retryForMs = 5_000;

/** Serialization failure, deadlock, or a row that another transaction has just inserted: nothing was committed. */
const isClash = (error: unknown) => ['40001', '40P01', '23505'].includes(sqlState(error) ?? '');

/**
 * Retries `work` after a clash with another transaction. With `evenIfLost` also after the connection was lost, possibly
 * during COMMIT: only for idempotent work.
 */
export async function withRetry<T>(
  work: () => Promise<T>,
  { evenIfLost = false } = {},
): Promise<T> {
  const began = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isLost = isAway(error) && !isLockTimeout(error);
      const shouldRetry = isClash(error) || (evenIfLost && isLost);
      if (!shouldRetry || attempt === attempts || performance.now() - began > retryForMs)
        throw error;
      await sleep(isAway(error) ? 100 * attempt : 0);
    }
  }
}
