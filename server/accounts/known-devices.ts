/**
 * The cookie of a device that has signed in before. It grants no access, but its holder can try passwords under a
 * separate limit, which strangers cannot use up. A changed password ends its entry. The id also identifies
 * the device where an account was created: see origins.ts.
 */
import { randomBytes } from 'node:crypto';
import type { Request, Response } from 'express';
import { isHttps } from '../config.ts';
import { cookieName, isSame, readCookie, sign, type Signing } from './cookies.ts';

type Needs = Signing;

/** A device's random id, and an entry for each account that it has signed in to: see `accountMark`. */
export interface KnownDevice {
  id: string;
  entries: string[];
}

const maxAccounts = 5;
const cookiePattern = new RegExp(`^[\\w-]{22}(\\.[\\w-]{44}){0,${maxAccounts}}$`);
const maxAge = 400 * 24 * 3_600_000;

export function deviceOf(node: Needs, request: Request): KnownDevice {
  const value = readCookie(request, deviceCookie(node));
  if (!cookiePattern.test(value)) return { id: randomBytes(16).toString('base64url'), entries: [] };
  const [id = '', ...entries] = value.split('.');
  return { id, entries };
}

/** True when the device has signed in to this account, with any password. Needs no database. */
export const hasSignedIn = (node: Needs, device: KnownDevice, account: string): boolean =>
  entryWith(device, accountMark(node, device, account)) !== undefined;

/** True when the device has signed in with the present password of the account. */
export function isKnown(
  node: Needs,
  device: KnownDevice,
  account: string,
  passwordHash: string,
): boolean {
  const entry = entryWith(device, accountMark(node, device, account));
  const mark = passwordMark(node, device, account, passwordHash);
  return entry !== undefined && isSame(entry.slice(mark.length), mark);
}

export function rememberDevice(
  node: Needs,
  response: Response,
  { id, entries }: KnownDevice,
  account: string,
  passwordHash: string,
): void {
  const device = { id, entries };
  const mark = accountMark(node, device, account);
  const entry = mark + passwordMark(node, device, account, passwordHash);
  const others = entries.filter((other) => !other.startsWith(mark)).slice(0, maxAccounts - 1);
  keepDevice(node, response, { id, entries: [entry, ...others] });
}

/** Sets the cookie, so that the device has the same id at its next visit. */
export function keepDevice(node: Needs, response: Response, { id, entries }: KnownDevice): void {
  response.cookie(deviceCookie(node), [id, ...entries].join('.'), {
    httpOnly: true,
    sameSite: 'strict',
    secure: isHttps(node.config),
    path: '/',
    maxAge,
  });
}

const deviceCookie = ({ config, instance }: Needs) => `${cookieName(config, instance)}_device`;

const entryWith = ({ entries }: KnownDevice, mark: string) =>
  entries.find((entry) => isSame(entry.slice(0, mark.length), mark));

// An entry is two signatures: one of the account, which can be checked without a lookup, and one of its password.
const accountMark = (node: Needs, { id }: KnownDevice, account: string) =>
  sign(node, ['known device', 'account', id, account]);
const passwordMark = (node: Needs, { id }: KnownDevice, account: string, passwordHash: string) =>
  sign(node, ['known device', 'password', id, account, passwordHash]);
