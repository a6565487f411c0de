import { RedisStore } from 'connect-redis';
import type { SessionData } from 'express-session';
import type { Redis } from 'ioredis';
import type { SessionCache } from './cluster.ts';

const ttl = 3_600;

/** Sessions in Redis, where every node finds them, by the hash of the cookie's value and never by the value. */
export function cacheSessions(redis: Redis, prefix: string): SessionCache {
  const store = new RedisStore({ client: redis, prefix: `${prefix}session:`, ttl: () => ttl });
  /** Sessions end by their public ids, so each of these leads to an entry. */
  const leadOf = (sessionId: string) => `${prefix}session-of:${sessionId}`;

  return {
    async get(tokenHash) {
      const found = await quietly(store.get(tokenHash) as Promise<SessionData | null>);
      return found ?? undefined;
    },
    async set(tokenHash, data) {
      if (redis.status !== 'ready') return;
      await quietly(redis.set(leadOf(data.sessionId), tokenHash, 'EX', ttl));
      await quietly(store.set(tokenHash, data));
    },
    async forget(sessionIds) {
      if (sessionIds.length === 0) return;
      const leads = sessionIds.map(leadOf);
      const hashes = (await quietly(redis.mget(leads))) ?? [];
      const known = hashes.filter((hash) => hash !== null);
      await Promise.all(known.map((hash) => quietly(store.destroy(hash) as Promise<unknown>)));
      await quietly(redis.del(leads));
    },
  };
}

/** Undefined if Redis is away: the table knows as well. */
async function quietly<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch {
    return undefined;
  }
}
