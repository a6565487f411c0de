import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { ChatError } from '../../shared/failure.ts';
import { nodeRates, rates, type RateName } from '../../shared/limits.ts';
import type { Clock } from '../node/clock.ts';
import { MemoryWindows } from './windows.ts';

export interface RateLimits {
  /** Takes at most the whole limit, so that any request is possible after a pause. @throws ChatError rate_limited */
  take(name: RateName, key: Key, points?: number): Promise<void>;
  tryTake(name: RateName, key: Key, points?: number): Promise<boolean>;
  giveBack(name: RateName, key: Key): Promise<void>;
  /**
   * Takes from the account's own share at its address and, once that is used up, from the common share. So the budget
   * of an address grows with its accounts, and others cannot use up an account's share. Each node counts by itself.
   * @throws ChatError rate_limited
   */
  takeAt(address: string, userId: string): Promise<void>;
}

/** A user, an address, or `all`. `room` multiplies the limit. */
export type Key = string | { name: string; room: number };
const textOf = (key: Key) => (typeof key === 'string' ? key : key.name);
const roomOf = (key: Key) => (typeof key === 'string' ? 1 : key.room);

const refusals: Partial<Record<RateName, string>> = {
  askAgain: 'You’ve asked them often enough for today. Try again tomorrow.',
  groupsWithOne: 'You’ve added them to enough groups for one day. Try again tomorrow.',
  rename: 'That’s enough new names and pictures for one day. Try again tomorrow.',
  statusText: 'You’ve changed your status too often today. Try again tomorrow.',
  searchDaily: 'That was a lot of searching for one day. Try again tomorrow.',
  guestFind: 'Guests can only search so much in a day. Create an account to keep searching.',
  readDaily: 'That’s all you can download for today. Try again tomorrow.',
  guestBytes: 'Guests can only send so much in a day. Create an account to keep writing.',
};

interface Allowance {
  points: number;
  duration: number;
}

interface Limiter {
  points: number;
  /** Returns undefined within the limit, else the milliseconds to wait. */
  consume(key: string, points: number): number | undefined | Promise<number | undefined>;
  reward(key: string): unknown;
}

export const countHere = (scale: number, clock: Clock): RateLimits =>
  count(scale, clock, (_name, allowance) => new MemoryWindows(allowance, clock));

/** Counts in Redis, for all nodes together. While Redis is away each node counts by itself, which allows more. */
export const countTogether = (
  redis: Redis,
  prefix: string,
  scale: number,
  clock: Clock,
): RateLimits =>
  count(scale, clock, (name, allowance) => {
    const limiter = new RateLimiterRedis({
      ...allowance,
      storeClient: redis,
      keyPrefix: `${prefix}rate:${name}`,
      rejectIfRedisNotReady: true,
      insuranceLimiter: new RateLimiterMemory(allowance),
      // Over the limit: refuse locally, without asking Redis.
      inMemoryBlockOnConsumed: allowance.points + 1,
    });
    return {
      points: limiter.points,
      consume: (key, points) =>
        limiter.consume(key, points).then(
          () => undefined,
          (refusal: unknown) => {
            if (!(refusal instanceof RateLimiterRes)) throw refusal;
            return refusal.msBeforeNext;
          },
        ),
      reward: (key) => limiter.reward(key),
    };
  });

function count(
  scale: number,
  clock: Clock,
  open: (name: RateName, allowance: Allowance) => Limiter,
): RateLimits {
  const limiters = new Map<string, Limiter>();
  const limiterFor = (name: RateName, room: number) => {
    const key = `${name} ${room}`;
    const { points, seconds } = rates[name];
    const allowance = { points: Math.max(1, Math.round(points * scale)) * room, duration: seconds };
    const found =
      limiters.get(key) ??
      (name in nodeRates ? new MemoryWindows(allowance, clock) : open(name, allowance));
    limiters.set(key, found);
    return found;
  };
  const consume = async (name: RateName, key: Key, points = 1): Promise<number | undefined> => {
    const limiter = limiterFor(name, roomOf(key));
    const wait = await limiter.consume(textOf(key), Math.min(points, limiter.points));
    return wait === undefined ? undefined : Math.max(1, Math.ceil(wait));
  };
  const limits: RateLimits = {
    async take(name, key, points) {
      const retryAfterMs = await consume(name, key, points);
      if (retryAfterMs !== undefined) throw tooFast(name, retryAfterMs);
    },
    tryTake: async (name, key, points) => (await consume(name, key, points)) === undefined,
    async giveBack(name, key) {
      await limiterFor(name, roomOf(key)).reward(textOf(key));
    },
    async takeAt(address, userId) {
      if ((await consume('ownAtAddress', `${userId} ${address}`)) === undefined) return;
      await limits.take('commandPerAddress', address);
    },
  };
  return limits;
}

const tooFast = (name: RateName, retryAfterMs: number) =>
  new ChatError('rate_limited', refusals[name] ?? 'You’re going too fast. Try again in a moment.', {
    retryAfterMs,
  });
