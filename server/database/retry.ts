import { setTimeout as sleep } from 'node:timers/promises';
import { isAway, isLockTimeout, sqlState } from './database.ts';

const attempts = 4;
/** In milliseconds: whoever asked has gone away by then, and asks again. */
const patience = 5_000;

/** Serialisation failure, deadlock, or a row that somebody else inserted a moment before: nothing has happened. */
const isClash = (error: unknown) => ['40001', '40P01', '23505'].includes(sqlState(error) ?? '');

/**
 * Does `work` again when it clashed with somebody else's. With `evenIfLost` also when the connection was lost,
 * which may have been during COMMIT: only for work that does no harm when it is done twice.
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
      const again = isClash(error) || (evenIfLost && isLost);
      if (!again || attempt === attempts || performance.now() - began > patience) throw error;
      await sleep(isAway(error) ? 100 * attempt : 0);
    }
  }
}
