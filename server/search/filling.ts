/** Moves queued messages to the search index in the background. Until then, search finds them by reading the queue. */
import { transaction, type Db } from '../database/database.ts';
import { tryLockWork } from '../database/locks.ts';
import { every, type StopWork } from '../node/timer.ts';
import { claimTurn, turnSeconds, workInSlices } from '../database/turns.ts';
import type { Context } from '../caller.ts';
import { rowsOf } from './rows.ts';
import * as store from './store.ts';

const slice = 200;
/** The rest after each slice, as a multiple of its duration. A long queue makes searches slower. */
const rest = { usual: 1, pressed: 9 };
/** Messages in one bucket. Bounds how many a search for a frequent word compares at a time. */
const bucketSize = 16_384;

export const watchSearch = (context: Context): StopWork =>
  every(context.node, 1_000, 'search', () => fillInTurn(context));

/** The node that has the turn works alone: if several did, one would work while another rests. */
async function fillInTurn(context: Context): Promise<void> {
  if ((await store.isQueued(context.db)) && (await claimTurn(context.db, 'search', turnSeconds)))
    await fill(context);
}

export const fill = ({ node, db }: Context): Promise<void> =>
  workInSlices(node, rest, () => fillSlice(db, slice));

/** Indexes up to `limit` messages. False if none is queued, or another node is doing it. */
export async function fillSlice(db: Db, limit: number): Promise<boolean> {
  if (!(await store.isQueued(db))) return false;
  const taken = await transaction(db, async (within) => {
    if (!(await tryLockWork(within, 'search index'))) return 0;
    const ids = await store.takeQueued(within, limit);
    await put(within, ids);
    return ids.length;
  });
  if (taken > 0) await store.tidyIndex(db);
  return taken > 0;
}

/** Reads the messages after they were taken from the queue: a change from now on queues a message again. */
async function put(db: Db, ids: string[]): Promise<void> {
  const messages = await store.findSearched(db, ids);
  const bucketOf = await store.findBucketsOf(db, ids);
  const there = new Set(messages.map(({ id }) => id));
  await store.deleteRows(
    db,
    ids.filter((id) => !there.has(id) && bucketOf.has(id)),
  );
  await assignBuckets(
    db,
    messages.filter(({ id }) => !bucketOf.has(id)),
    bucketOf,
  );
  await store.saveRows(db, await rowsOf(messages, bucketOf));
}

async function assignBuckets(
  db: Db,
  messages: store.SortKey[],
  bucketOf: Map<string, number>,
): Promise<void> {
  if (messages.length === 0) return;
  let last = await store.findLastBucket(db);
  const changed = new Map<number, store.Bucket>();
  for (const { id, at } of messages) {
    last =
      last === undefined || last.filled >= bucketSize
        ? { bucket: (last?.bucket ?? -1) + 1, filled: 1, oldest: at, newest: at }
        : {
            bucket: last.bucket,
            filled: last.filled + 1,
            oldest: Math.min(last.oldest, at),
            newest: Math.max(last.newest, at),
          };
    changed.set(last.bucket, last);
    bucketOf.set(id, last.bucket);
  }
  await store.saveBuckets(db, [...changed.values()]);
}
