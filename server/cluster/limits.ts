import type { Redis } from 'ioredis';
import {
  RateLimiterMemory,
  RateLimiterRedis,
  RateLimiterRes,
  type RateLimiterAbstract,
} from 'rate-limiter-flexible';
import { ChatError } from '../../shared/failure.ts';
import { rates, type RateName } from '../../shared/limits.ts';

export interface RateLimits {
  /**
   * Counts one more of `name` for `key` (a user, an address, or `all`).
   * @throws ChatError rate_limited, with the milliseconds to wait
   */
  take(name: RateName, key: string): Promise<void>;
}

interface Allowance {
  points: number;
  duration: number;
}

/** Counts in this process’s memory. */
export const countHere = (scale: number): RateLimits =>
  count(scale, (_name, allowance) => new RateLimiterMemory(allowance));

/** Counts in Redis, for all nodes together. While it is away each node counts for itself: more, but not all. */
export const countTogether = (redis: Redis, prefix: string, scale: number): RateLimits =>
  count(
    scale,
    (name, allowance) =>
      new RateLimiterRedis({
        ...allowance,
        storeClient: redis,
        keyPrefix: `${prefix}rate:${name}`,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory(allowance),
        // Who has used up everything is refused here, without asking Redis each time.
        inMemoryBlockOnConsumed: allowance.points,
      }),
  );

function count(
  scale: number,
  limiter: (name: RateName, allowance: Allowance) => RateLimiterAbstract,
): RateLimits {
  const limiters = new Map(
    Object.entries(rates).map(([key, { points, seconds }]) => {
      const name = key as RateName;
      const allowance = { points: Math.max(1, Math.round(points * scale)), duration: seconds };
      return [name, limiter(name, allowance)];
    }),
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
