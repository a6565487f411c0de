import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { failureOf, forbidden } from '../../shared/failure.ts';
import type { Config } from '../config.ts';
import { truncate, logSparingly, type Logger } from '../node/log.ts';

type Address = Pick<Config, 'PUBLIC_URL'>;

/**
 * True if a request comes from this site’s pages, or from no page. Browsers send Sec-Fetch-Site or Origin, which no
 * page can forge. A request with neither is not from a browser, and is accepted only without cookies.
 */
export function sameOrigin(
  config: Address,
  { origin, host, cookie, 'sec-fetch-site': site }: IncomingHttpHeaders,
): boolean {
  if (!isOwnHost(config, host)) return false;
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return site !== undefined || cookie === undefined;
  if (config.PUBLIC_URL !== undefined) return origin === config.PUBLIC_URL;
  if (!isOwnHost(config, origin.replace(/^https?:\/\//, ''))) return false;
  // A proxy may have rewritten Host, so Sec-Fetch-Site decides first.
  return site === 'same-origin' || origin === `http://${host}` || origin === `https://${host}`;
}

/** @throws ChatError forbidden, for requests from another site's pages */
export function requireOwnPage(
  { config, log }: { config: Address; log: Logger },
  headers: IncomingHttpHeaders,
): void {
  if (sameOrigin(config, headers)) return;
  const { origin = 'none', host = '' } = headers;
  logSparingly(log, 'warn', 'rejected a request from another origin', {
    got: truncate(origin),
    expected: truncate(config.PUBLIC_URL ?? `http://${host} or https://${host}`),
    hint: 'If people use the received address, start Parley with PUBLIC_URL set to it.',
  });
  throw forbidden(
    'This request came from another site. If it didn’t, PUBLIC_URL isn’t set correctly.',
  );
}

/**
 * True if this server answers for the host. Without PUBLIC_URL only IP addresses and this machine's own names count:
 * a page can point its own name at this machine (DNS rebinding), and would then have the same origin.
 */
export function isOwnHost({ PUBLIC_URL }: Address, host: string | undefined): boolean {
  if (PUBLIC_URL !== undefined || host === undefined) return true;
  const [, name = '', address = name] =
    /^([\w.-]+?)\.?(?::\d+)?$|^\[([\da-f:]+)\](?::\d+)?$/i.exec(host) ?? [];
  const own = hostname().toLowerCase();
  const [label = own] = own.split('.');
  const names = ['localhost', own, label, `${label}.local`];
  return isIP(name || address) !== 0 || names.includes(name.toLowerCase());
}

const instruction =
  'Parley doesn’t answer at this address. If it’s yours, start Parley with PUBLIC_URL set to the address people use, such as http://chat.example.org:3000.';

export function refuseHost({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const isForApi = url.startsWith('/api/');
  response.statusCode = 421;
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader(
    'Content-Type',
    `${isForApi ? 'application/json' : 'text/plain'}; charset=utf-8`,
  );
  response.end(
    isForApi
      ? JSON.stringify({
          error: { ...failureOf(forbidden(instruction)), requestId: randomUUID() },
        })
      : instruction,
  );
}
