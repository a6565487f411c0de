import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';
import proxyAddress from 'proxy-addr';
import type { RateName } from '../../shared/limits.ts';
import type { Node } from '../caller.ts';
import type { Config } from '../config.ts';

/** The address behind the trusted proxies; for IPv6 its /64, because the holder of one address has all of them. */
export function addressOf({ TRUST_PROXY }: Pick<Config, 'TRUST_PROXY'>, request: IncomingMessage) {
  const text = proxyAddress(request, (_address, hop) => hop < TRUST_PROXY);
  // A misconfigured proxy can send anything.
  if (!ipaddr.isValid(text)) return 'unknown';
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? prefix(address, 64) : address.toString();
}

/**
 * Returns the keys of a limit, the narrowest network first; `room` multiplies the limit. One customer can have a /48 of
 * IPv6 or many addresses of a /24, and anyone can become a provider with a /32. Each `subject` is counted separately.
 */
export function networksOf(address: string, subject?: string): { name: string; room: number }[] {
  const [text = ''] = address.split('/');
  const around = ipaddr.isValid(text) ? widerThan(ipaddr.parse(text)) : [];
  return [{ name: address, room: 1 }, ...around].map(({ name, room }) => ({
    name: subject === undefined ? name : `${name} ${subject}`,
    room,
  }));
}

/** Takes from the smallest network first, so that a request refused there takes nothing from larger ones. */
export async function takeForNetworks(
  node: Pick<Node, 'limits'>,
  name: RateName,
  address: string,
  account?: string,
): Promise<void> {
  for (const network of networksOf(address, account)) await node.limits.take(name, network);
}

export async function giveBackForNetworks(
  node: Pick<Node, 'limits'>,
  name: RateName,
  address: string,
  account?: string,
): Promise<void> {
  await Promise.all(
    networksOf(address, account).map((network) => node.limits.giveBack(name, network)),
  );
}

/** Returns the widest network around an address that one customer can have: a /48 of IPv6, a /24 of IPv4. */
export function customerOf(address: string): string {
  const [text = ''] = address.split('/');
  if (!ipaddr.isValid(text)) return address;
  const parsed = ipaddr.parse(text);
  return prefix(parsed, parsed instanceof ipaddr.IPv6 ? 48 : 24);
}

/** False for addresses of private networks and of this machine. Behind a misconfigured proxy, everyone has the same one. */
export function isPublic(address: string): boolean {
  const [text = ''] = address.split('/');
  return ipaddr.isValid(text) && ipaddr.parse(text).range() === 'unicast';
}

const widerThan = (address: ipaddr.IPv4 | ipaddr.IPv6) =>
  address instanceof ipaddr.IPv6
    ? [
        { name: prefix(address, 56), room: 2 },
        { name: prefix(address, 48), room: 4 },
        { name: prefix(address, 40), room: 16 },
        { name: prefix(address, 32), room: 64 },
      ]
    : [{ name: prefix(address, 24), room: 8 }];

function prefix(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().map((byte, i) => byte & (0xff00 >> clamp(bits - 8 * i)));
  return `${ipaddr.fromByteArray(bytes).toString()}/${bits}`;
}

const clamp = (bits: number) => Math.min(Math.max(bits, 0), 8);
