/**
 * The device where an account was created, and the network if it was a guest’s, so that a ban keeps out others who come
 * from there. They are stored as keyed hashes, and deleted when the account is no longer new. A ban keeps a copy.
 */
import type { Account } from '../../shared/accounts.ts';
import { isPublic } from '../http/address.ts';
import type { Context } from '../caller.ts';
import { sign, type Signing } from './cookies.ts';
import type { KnownDevice } from './known-devices.ts';
import { deleteOldOrigins, type Origin } from './store.ts';

/** `address`: as `addressOf` returns it. A private one is not stored, because many people can share it. */
export const originOf = (
  node: Signing,
  kind: Account['kind'],
  { device, address }: { device: KnownDevice; address: string },
): Origin => ({
  device: sign(node, ['origin', 'device', device.id]),
  network:
    kind === 'guest' && isPublic(address) ? sign(node, ['origin', 'network', address]) : null,
});

const days = 30;
/** More than the accounts that `guestOverall` and `registerOverall` allow in a minute. */
const maxPerSweep = 5_000;

export const sweepOrigins = ({ db }: Pick<Context, 'db'>): Promise<void> =>
  deleteOldOrigins(db, days, maxPerSweep);
