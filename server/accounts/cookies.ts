/** The cookie that names a session, and where express-session finds what belongs to it: our own table. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import session, { type SessionData } from 'express-session';
import type { SessionCache } from '../cluster/cluster.ts';
import type { Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import type { Instance } from '../instance.ts';
import { deleteSessionOfToken, findSessionData, updateSessionData } from './store.ts';

declare module 'express-session' {
  interface SessionData {
    userId: string;
    /** The public one. */
    sessionId: string;
  }
}

export type SessionMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

// As long as a session can last at most. That it ends sooner when it is not used, the server knows.
const maxAge = 180 * 24 * 3_600_000;

/** Reads the session that a request's cookie names, for Express, sockets and the gateway alike. */
export function sessionMiddleware(
  config: Config,
  instance: Instance,
  db: Db,
  cache: SessionCache,
): SessionMiddleware {
  const secure = isHttps(config);
  return session({
    name: cookieName(config, instance),
    secret: [config.SESSION_SECRET ?? instance.sessionSecret],
    store: new SessionTable(db, cache),
    saveUninitialized: false,
    resave: false,
    cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge },
  }) as unknown as SessionMiddleware;
}

/** Whether people reach us by https; then cookies are Secure. */
export const isHttps = ({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>) =>
  PUBLIC_URL?.startsWith('https:') ?? false;

/** Ports of one host share cookies, so without https the name tells one installation from another. */
export const cookieName = (config: Pick<Config, 'PUBLIC_URL'>, instance: Pick<Instance, 'id'>) =>
  isHttps(config) ? '__Host-parley' : `parley_${instance.id.slice(0, 6)}`;

/** What is stored instead of the cookie's value. */
export const hashOf = (sid: string) => createHash('sha256').update(sid).digest('hex');

/**
 * Sessions begin in one place only, `startSession`, which inserts the row. What express-session saves at the
 * end of a request updates a row that is still there, so no request can bring back a session that has ended
 * meanwhile. There is no `touch`: `callerOf` notes the use, and sockets have no end of a request.
 *
 * The cache is asked first and believed in nothing that counts: whether the session still lives is what
 * `callerOf` asks the table, each time.
 */
class SessionTable extends session.Store {
  readonly #db: Db;
  readonly #cache: SessionCache;

  constructor(db: Db, cache: SessionCache) {
    super();
    this.#db = db;
    this.#cache = cache;
  }

  override get(sid: string, done: (error: unknown, session?: SessionData | null) => void): void {
    void this.#find(hashOf(sid)).then((data) => done(null, data), done);
  }

  async #find(tokenHash: string): Promise<SessionData | undefined> {
    const cached = await this.#cache.get(tokenHash);
    if (cached !== undefined) return cached;
    const data = (await findSessionData(this.#db, tokenHash)) as SessionData | undefined;
    if (data !== undefined) void this.#cache.set(tokenHash, data);
    return data;
  }

  override set(sid: string, data: SessionData, done?: (error?: unknown) => void): void {
    void this.#save(hashOf(sid), data).then(() => done?.(), done);
  }

  async #save(tokenHash: string, data: SessionData): Promise<void> {
    await updateSessionData(this.#db, tokenHash, data);
    void this.#cache.set(tokenHash, data);
  }

  override destroy(sid: string, done?: (error?: unknown) => void): void {
    // The row alone decides; what the cache still holds of it opens nothing, and is gone before long.
    void deleteSessionOfToken(this.#db, hashOf(sid)).then(() => done?.(), done);
  }
}
