/**
 * Which sessions were live lately, by the hashes of their cookies and tokens. This decides only by what a request
 * is counted before the database says whose it is: a forged entry gains a larger share of the limits.
 */
import { RedisStore } from 'connect-redis';
import session, { type SessionData } from 'express-session';
import type { Redis } from 'ioredis';

export interface RecentSessions {
  has(tokenHash: string): Promise<boolean>;
  add(tokenHash: string): Promise<void>;
  delete(tokenHash: string): Promise<void>;
}

const ttlSeconds = 3_600;
/** So many at most in a process: one that is forgotten counts as new once more. */
const maxHere = 10_000;

/** Remembers them in this process. */
export function rememberHere(): RecentSessions {
  const hashes = new Set<string>();
  return {
    has: async (hash) => hashes.has(hash),
    async add(hash) {
      hashes.delete(hash);
      hashes.add(hash);
      const [oldest = hash] = hashes;
      if (hashes.size > maxHere) hashes.delete(oldest);
    },
    async delete(hash) {
      hashes.delete(hash);
    },
  };
}

/** Remembers them in Redis for all nodes; while it is away, each node knows its own. */
export function rememberTogether(redis: Redis, prefix: string): RecentSessions {
  const store = new RedisStore({ client: redis, prefix: `${prefix}session:`, ttl: ttlSeconds });
  const here = rememberHere();
  return {
    async has(hash) {
      if (await here.has(hash)) return true;
      const found = await quietly(redis, () => store.get(hash) as Promise<SessionData | null>);
      return found !== undefined && found !== null;
    },
    async add(hash) {
      await here.add(hash);
      const nothing: SessionData = { cookie: new session.Cookie() };
      await quietly(redis, () => store.set(hash, nothing) as Promise<unknown>);
    },
    async delete(hash) {
      await here.delete(hash);
      await quietly(redis, () => store.destroy(hash) as Promise<unknown>);
    },
  };
}

/** Undefined if Redis is away. */
async function quietly<T>(redis: Redis, ask: () => Promise<T>): Promise<T | undefined> {
  if (redis.status !== 'ready') return undefined;
  return ask().catch(() => undefined);
}
