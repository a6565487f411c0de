/**
 * The accepted push services. A client names the address that Parley sends to. Only services of browsers and of the
 * operator are accepted, so that no client makes Parley send requests elsewhere.
 */
import type { Config } from '../config.ts';

const browsers = [
  /^(fcm\.googleapis\.com|jmt17\.google\.com)$/,
  /^updates\.push\.services\.mozilla\.com$/,
  /^web\.push\.apple\.com$/,
  /^[\w-]+\.notify\.windows\.com$/,
];

/** `browser`: must be at a public address. `own`: configured by the operator, at any address. */
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
