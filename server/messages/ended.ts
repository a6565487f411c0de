/**
 * Erases the messages of deleted timelines: nothing can reach them, because the timeline’s own row is gone. One node at
 * a time works in slices with rests, so that it hardly slows others. The progress is stored.
 */
import { every, type StopWork } from '../node/timer.ts';
import { transaction, type Db } from '../database/database.ts';
import { tryLockWork } from '../database/locks.ts';
import { claimTurn, turnSeconds, workInSlices } from '../database/turns.ts';
import { sweepReads } from '../reads/reads.ts';
import type { Context, Node } from '../caller.ts';
import { sweepParts } from './message-parts.ts';
import * as store from './ended-store.ts';

/** Rows in one transaction, which then takes a few milliseconds. */
const slice = 500;
const rest = { usual: 3, pressed: 9 };

export const watchEnded = (context: Context): StopWork =>
  every(context.node, 1_000, 'ended', () => sweepEnded(context));

export async function sweepEnded({
  node,
  db,
}: {
  node: Pick<Node, 'draining' | 'isPressed'>;
  db: Db;
}): Promise<void> {
  if ((await store.findEnded(db)) === undefined) return;
  // Only one node works, because otherwise one node would work while another rests.
  if (!(await claimTurn(db, 'ended', turnSeconds))) return;
  await workInSlices(node, rest, () => sweepEndedSlice(db, slice));
}

/** Deletes up to `limit` messages of one timeline. False if there is nothing to do, or another node does it. */
export async function sweepEndedSlice(db: Db, limit: number): Promise<boolean> {
  if ((await store.findEnded(db)) === undefined) return false;
  return transaction(db, async (within) => {
    const isMine = await tryLockWork(within, 'ended timelines');
    const ended = isMine ? await store.findEnded(within) : undefined;
    if (ended === undefined) return false;
    await sweep(within, ended, limit);
    return true;
  });
}

async function sweep(db: Db, { id, swept, lastPosition }: store.EndedTimeline, limit: number) {
  const upTo = Math.min(swept + limit, lastPosition);
  if (upTo > swept) {
    const stretch = { timelineId: id, after: swept, upTo };
    // A message can have many mentions or reactions, so these can take more than one slice.
    if ((await sweepParts(db, stretch, limit)) >= limit) return;
    await store.deleteMessages(db, stretch);
  }
  if (upTo < lastPosition) return;
  if ((await sweepReads(db, id, limit)) < limit) await store.forgetEnded(db, id);
}
