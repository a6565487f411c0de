/** The session cookie, and helpers for all cookies. Only our own table stores the account of a session. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import session, { type SessionData } from 'express-session';
import { isHttps, type Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import type { Instance } from '../node/instance.ts';
import { deleteSessionOfToken } from './session-store.ts';

declare module 'express-session' {
  interface SessionData {
    /** The request came with a cookie that we have signed, which may name a session. */
    signed?: true;
  }
}

type SessionMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

// As long as a session can last at most. That it ends sooner when it is not used, the server knows.
const maxAge = 180 * 24 * 3_600_000;

/** Reads which session a request's cookie names, for Express, sockets and the gateway alike. */
export function sessionMiddleware(config: Config, instance: Instance, db: Db): SessionMiddleware {
  const secure = isHttps(config);
  return session({
    name: cookieName(config, instance),
    secret: [config.SESSION_SECRET ?? instance.sessionSecret],
    store: new SessionTable(db),
    saveUninitialized: false,
    resave: false,
    cookie: { httpOnly: true, sameSite: 'lax', path: '/', secure, maxAge },
  }) as unknown as SessionMiddleware;
}

/** Ports of one host share cookies, so without https the name tells one installation from another. */
export const cookieName = (config: Pick<Config, 'PUBLIC_URL'>, instance: Pick<Instance, 'id'>) =>
  isHttps(config) ? '__Host-parley' : `parley_${instance.id.slice(0, 6)}`;

/** Returns the value of a cookie, or an empty string without one. */
export function readCookie({ headers }: IncomingMessage, name: string): string {
  const found = headers.cookie?.split(/; */).find((cookie) => cookie.startsWith(`${name}=`));
  return found?.slice(name.length + 1) ?? '';
}

export interface Signing {
  config: Pick<Config, 'PUBLIC_URL' | 'SESSION_SECRET'>;
  instance: Pick<Instance, 'id' | 'sessionSecret'>;
}

/** Returns a signature of 128 bits as 22 characters. The first item of `what` names its purpose. */
export const sign = ({ config, instance }: Signing, what: string[]): string =>
  createHmac('sha256', config.SESSION_SECRET ?? instance.sessionSecret)
    .update(JSON.stringify(what))
    .digest()
    .subarray(0, 16)
    .toString('base64url');

/** Compares signatures in constant time. */
export function isSame(one: string, other: string): boolean {
  const [mine, theirs] = [Buffer.from(one), Buffer.from(other)];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

/** What is stored instead of the cookie's value. */
export const hashOf = (sid: string) => createHash('sha256').update(sid).digest('hex');

/**
 * Says of a signed cookie only that there is one: whose session it names, and whether that lives, is what
 * `callerOf` asks the table, after the limits. Sessions begin in `startSession` alone, which inserts the row, so
 * what express-session saves at the end of a request is dropped: it cannot bring back an ended session.
 */
class SessionTable extends session.Store {
  readonly #db: Db;

  constructor(db: Db) {
    super();
    this.#db = db;
  }

  override get(_sid: string, done: (error: unknown, session: SessionData) => void): void {
    const cookie = new session.Cookie();
    cookie.originalMaxAge = maxAge;
    done(null, { cookie, signed: true });
  }

  override set(_sid: string, _data: SessionData, done?: (error?: unknown) => void): void {
    done?.();
  }

  override destroy(sid: string, done?: (error?: unknown) => void): void {
    void deleteSessionOfToken(this.#db, hashOf(sid)).then(() => done?.(), done);
  }
}
