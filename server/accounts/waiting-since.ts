/**
 * The cookie of a caller who found no place in the queue of guesses (see guess-line.ts). It holds the signed time of
 * the first attempt, so that a retry goes ahead of later callers. Without it, a few dozen networks that guess at an
 * account could take every free place, and keep its owner off a new device.
 */
import type { Request, Response } from 'express';
import { isHttps } from '../config.ts';
import { cookieName, isSame, readCookie, sign, type Signing } from './cookies.ts';

/** In milliseconds. A younger cookie can be reused as often as the limits of wrong passwords let a network guess. */
const maxAge = 10 * 60_000;

export interface Waiting {
  /** The time of the first attempt, which may be now, in milliseconds since the epoch. */
  since(account: string): number;
  remember(account: string, since: number): void;
}

/** The cookie is valid for one account and one address only. */
export function waitingOf(
  node: Signing,
  request: Request,
  response: Response,
  address: string,
): Waiting {
  const name = `${cookieName(node.config, node.instance)}_waiting`;
  const mark = (account: string, since: string) =>
    sign(node, ['waiting for a guess', account, address, since]);
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
        secure: isHttps(node.config),
        path: '/',
        maxAge,
      });
    },
  };
}
