import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import proxyAddress from 'proxy-addr';
import type { Config } from './config.ts';

/**
 * Whom a limit counts: the address behind exactly as many proxies as are trusted, and of IPv6 its /64, since
 * whoever has one address there has them all.
 */
export function addressOf({ TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>, request: IncomingMessage) {
  const address = proxyAddress(request, (_address, hop) => hop < TRUST_PROXY);
  if (!isIPv6(address)) return address;
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length);
  return `${expanded(address).slice(0, 4).join(':')}::/64`;
}

function expanded(address: string): string[] {
  const [head = '', tail = ''] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === '' ? [] : tail.split(':');
  return [
    ...front,
    ...Array<string>(Math.max(0, 8 - front.length - back.length)).fill('0'),
    ...back,
  ];
}
