/** One request to a push service: with a time-out, no redirects, and only public addresses for browsers’ services. */
import { lookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { RequestDetails } from 'web-push';
import type { PushService } from './services.ts';

const timeoutMs = 10_000;

export interface PushResponse {
  /** 0 if there was no answer. */
  status: number;
  retryAfterMs?: number;
}

export function postPush(
  { endpoint, method, headers, body }: RequestDetails,
  service: PushService,
  stop: AbortSignal,
): Promise<PushResponse> {
  const send = endpoint.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const request = send(endpoint, {
      method,
      headers,
      signal: AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]),
      ...(service === 'browser' && { lookup: lookupPublic }),
    });
    request.once('error', () => {
      resolve({ status: 0 });
    });
    request.once('response', (response) => {
      const { statusCode = 0, headers } = response;
      resolve({ status: statusCode, ...waitIn(headers['retry-after']) });
      // The body is not read, however long it is.
      response.destroy();
    });
    request.end(body);
  });
}

function waitIn(said: string | undefined): Pick<PushResponse, 'retryAfterMs'> {
  const seconds = Number(said);
  return said !== undefined && seconds >= 0 ? { retryAfterMs: seconds * 1_000 } : {};
}

/** Resolves only to public addresses. The connection uses the addresses that were checked, not a second lookup. */
export const lookupPublic: LookupFunction = (host, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true };
  lookup(host, all, (error, addresses) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = addresses;
    if (first === undefined || !addresses.every(isPublic))
      callback(new Error(`${host} doesn’t resolve to public addresses only.`), []);
    else if (options.all) callback(null, addresses);
    else callback(null, first.address, first.family);
  });
};

export const isPublic = ({ address }: Pick<LookupAddress, 'address'>): boolean =>
  ipaddr.process(address).range() === 'unicast';
