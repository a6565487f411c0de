import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import session, { type SessionData } from 'express-session';
import { isHttps, type Config } from '../config.ts';
import type { Db } from '../database/database.ts';
import type { Instance } from '../node/instance.ts';
import { deleteSessionOfToken } from './session-store.ts';

declare module 'express-session' {
  interface SessionData {
    /** Set when the request has a cookie that we signed, which may name a session. */
    signed?: true;
  }
}

type SessionMiddleware = (
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void;

// The longest life of a session, in milliseconds. The server ends an unused session sooner.
const maxAge = 180 * 24 * 3_600_000;

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

/** Ports of one host share cookies, so without HTTPS the name distinguishes installations. */
export const cookieName = (config: Pick<Config, 'PUBLIC_URL'>, instance: Pick<Instance, 'id'>) =>
  isHttps(config) ? '__Host-parley' : `parley_${instance.id.slice(0, 6)}`;

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

export function isSame(one: string, other: string): boolean {
  const [mine, theirs] = [Buffer.from(one), Buffer.from(other)];
  return mine.length === theirs.length && timingSafeEqual(mine, theirs);
}

export const hashOf = (sid: string) => createHash('sha256').update(sid).digest('hex');

/**
 * Reports only that a cookie is signed: `identifyCookie` reads the account from the database, after the limits. Drops
 * data that express-session saves at the end of a request, so that it cannot restore an ended session.
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
