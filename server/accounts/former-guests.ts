/** A guest has no password: nobody can return after its last session. PARLEY_GUEST_DAYS later, it leaves everything. */
import type { Account } from '../../shared/accounts.ts';
import { every, type StopWork } from '../node/timer.ts';
import { attempt } from '../node/attempt.ts';
import { claimTurn } from '../database/turns.ts';
import { endingsOn } from '../endings.ts';
import type { Context } from '../caller.ts';
import { changeProfile } from './accounts.ts';
import { findAwayGuests, noteGuestEnded, postponeGuest } from './store.ts';

const name = 'Former guest';
const seconds = 60;
/** Accounts per sweep, so that other people do not notice the load. */
const maxPerSweep = 200;

export const watchGuests = (context: Context): StopWork =>
  every(context.node, seconds * 1_000, 'guests', async () => {
    // On one node. The turn is a little shorter than the interval, or every second sweep would find it taken.
    if (await claimTurn(context.db, 'former guests', seconds - 5)) await endAwayGuests(context);
  });

export async function endAwayGuests(context: Context): Promise<void> {
  const { node, db } = context;
  const days = node.config.PARLEY_GUEST_DAYS;
  for (const guest of await findAwayGuests(db, days, maxPerSweep)) {
    if (node.draining) return;
    const { ok } = await attempt(node, 'guests', () => endGuest(context, guest));
    if (!ok) await postponeGuest(db, guest.id, days);
  }
}

async function endGuest(context: Context, guest: Account): Promise<void> {
  // Renamed first, while the people who know the name still share a place with the guest.
  await changeProfile(context, guest.id, { name, statusText: null, uploaderId: guest.id });
  // After a failure in between, a later sweep starts over.
  for (const { account: end } of endingsOn(context.node)) await end?.(context, guest);
  await noteGuestEnded(context.db, guest.id);
}
