/**
 * The cookie of a caller who found no place among the guesses at an account (see guess-line.ts): since when they have
 * waited, signed. Who comes back with it goes ahead of all who came later. Otherwise a few dozen networks that guess at
 * an account could take every place that gets free, and keep its owner off a new device.
 */
import type { Request, Response } from 'express';
import { cookieName, isHttps, isSame, readCookie, sign, type Signing } from './cookies.ts';

/** In milliseconds. Older ones say nothing. Until then one can be used again, as often as the limits of wrong passwords let a network guess. */
const maxAge = 10 * 60_000;

/** How long one caller has waited to guess at an account. */
export interface Waiting {
  /** When they found no place for the first time; now, if they come for the first time. Milliseconds since the epoch. */
  since(account: string): number;
  /** Tells them to come back. */
  remember(account: string, since: number): void;
}

/** What the cookie says holds for this account and address only. */
export function waitingOf(
  app: Signing,
  request: Request,
  response: Response,
  address: string,
): Waiting {
  const name = `${cookieName(app.config, app.instance)}_waiting`;
  const mark = (account: string, since: string) =>
    sign(app, ['waiting for a guess', account, address, since]);
  return {
    since(account) {
      const now = Date.now();
      const [since = '', signature = ''] = readCookie(request, name).split('.');
      const age = now - Number(since);
      return isSame(signature, mark(account, since)) && age < maxAge ? now - age : now;
    },
    remember(account, since) {
      response.cookie(name, `${since}.${mark(account, String(since))}`, {
        httpOnly: true,
        sameSite: 'strict',
        secure: isHttps(app.config),
        path: '/',
        maxAge,
      });
    },
  };
}
