/**
 * Remembers recently live sessions, by the hashes of their cookies and tokens. They decide only the key under which a
 * request is counted before the database identifies it, so a forged entry gains only a larger share of the limits.
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
/** Bounds the memory of a process. A forgotten session counts as new again. */
const maxHere = 10_000;

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

/** Remembers sessions in Redis for all nodes. While Redis is away, each node knows only its own. */
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

async function quietly<T>(redis: Redis, ask: () => Promise<T>): Promise<T | undefined> {
  if (redis.status !== 'ready') return undefined;
  return ask().catch(() => undefined);
}
