import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ChatError } from '../../shared/failure.ts';
import { rates, type RateName } from '../../shared/limits.ts';

export interface RateLimits {
  /**
   * Counts one more of `name` for `key` (a user, an address, or `all`).
   * @throws ChatError rate_limited, with the milliseconds to wait
   */
  take(name: RateName, key: string): Promise<void>;
}

/** Counts in this process’s memory. */
export function countHere(scale: number): RateLimits {
  const limiters = new Map(
    Object.entries(rates).map(([name, { points, seconds }]) => [
      name as RateName,
      new RateLimiterMemory({ points: Math.max(1, Math.round(points * scale)), duration: seconds }),
    ]),
  );
  return {
    async take(name, key) {
      try {
        await limiters.get(name)?.consume(key);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const retryAfterMs = Math.max(1, error.msBeforeNext);
        throw new ChatError('rate_limited', 'That was too fast. Try again in a moment.', {
          retryAfterMs,
        });
      }
    },
  };
}
