/**
 * Which push services there are. A client names the address that Parley then sends to, so only those of browsers are
 * accepted, and what the operator trusts: nobody makes Parley knock at other doors.
 */
import type { Config } from '../config.ts';

const browsers = [
  /^(fcm\.googleapis\.com|jmt17\.google\.com)$/,
  /^updates\.push\.services\.mozilla\.com$/,
  /^web\.push\.apple\.com$/,
  /^[\w-]+\.notify\.windows\.com$/,
];

/** `browser`: it must be at a public address. `own`: the operator says so, wherever it is. */
export type PushService = 'browser' | 'own';

export function serviceOf(
  { PARLEY_PUSH_SERVICES: own = [] }: Pick<Config, 'PARLEY_PUSH_SERVICES'>,
  endpoint: string,
): PushService | undefined {
  if (!URL.canParse(endpoint)) return undefined;
  const { protocol, hostname, port, username, password, origin } = new URL(endpoint);
  if (username !== '' || password !== '') return undefined;
  if (own.includes(origin)) return 'own';
  const isBrowsers = browsers.some((name) => name.test(hostname));
  return protocol === 'https:' && port === '' && isBrowsers ? 'browser' : undefined;
}
