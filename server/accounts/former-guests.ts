/**
 * A guest has no password, so nobody comes back once its last session has ended. Some time later it leaves
 * everything that it is in. What it said stays, under a name that is nobody's.
 */
import type { Account } from '../../shared/accounts.ts';
import { every } from '../node/timer.ts';
import type { Stop } from '../node/clock.ts';
import { attempt } from '../node/attempt.ts';
import { claimTurn } from '../database/turns.ts';
import { endingsOn } from '../endings.ts';
import type { Context } from '../caller.ts';
import { changeProfile } from './accounts.ts';
import { findAwayGuests, noteGuestEnded, postponeGuest } from './store.ts';

const name = 'Former guest';
const seconds = 60;
/** At a time, or people would feel those who go. */
const most = 200;

export const watchGuests = (context: Context): Stop =>
  every(context.node, seconds * 1_000, 'guests', async () => {
    // On one node; a turn is a little shorter than the beat, or every second one would find it taken.
    if (await claimTurn(context.db, 'former guests', seconds - 5)) await endAwayGuests(context);
  });

export async function endAwayGuests(context: Context): Promise<void> {
  const { node, db } = context;
  const days = node.config.PARLEY_GUEST_DAYS;
  for (const guest of await findAwayGuests(db, days, most)) {
    const { ok } = await attempt(node, 'guests', () => endGuest(context, guest));
    if (!ok) await postponeGuest(db, guest.id, days);
  }
}

async function endGuest(context: Context, guest: Account): Promise<void> {
  // First, while those who know the name still share a place with it.
  await changeProfile(context, guest.id, { name, uploaderId: guest.id });
  // Whatever breaks off in between, the next sweep begins again.
  for (const { account: end } of endingsOn(context.node)) await end?.(context, guest);
  await noteGuestEnded(context.db, guest.id);
}
