import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from './config.ts';

/**
 * Whether a request comes from our own pages, or from no page at all. Browsers say it by Sec-Fetch-Site and
 * Origin, which no page can forge; what says neither is no browser, and may ask only without cookies.
 * The own origin is PUBLIC_URL, or, when that is not set, the host that the request itself is for.
 */
export function sameOrigin(
  { PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>,
  { origin, host, cookie, 'sec-fetch-site': site }: IncomingHttpHeaders,
): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return site !== undefined || cookie === undefined;
  if (PUBLIC_URL !== undefined) return origin === PUBLIC_URL;
  // A proxy may have rewritten Host; the browser knows better.
  return site === 'same-origin' || origin === `http://${host}` || origin === `https://${host}`;
}
