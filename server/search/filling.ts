/**
 * Puts what is queued where it is found: in the background, some messages at a time, by one node at a time. A message is
 * found at once all the same: what is still queued, search reads where it is.
 */
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { query, transaction, type Db } from '../database/database.ts';
import type { Stop } from '../node/clock.ts';
import { every } from '../node/timer.ts';
import { claimTurn } from '../database/turns.ts';
import { hasKinds } from '../../shared/search-query.ts';
import { contentOf, type Content } from './content.ts';
import {
  anyPart,
  authorPart,
  hasPart,
  keysIn,
  mentionPart,
  partsOf,
  timelinePart,
} from './keys.ts';
import * as store from './store.ts';

/** So many seconds one node does it before another may. */
const turn = 1;
/** So many messages in a transaction. */
const slice = 500;
/** After each slice it rests as long as that took: on a busy machine that is longer. */
const rest = 1;
/** So many messages share lists in the index: a word that is in most of them is compared so often at most. */
const bucketSize = 16_384;
/** After so many letters, others have their turn. */
const lettersAtOnce = 32_768;
const lockKey = 7_246_503;

export const watchSearch = (app: App): Stop => every(app, 1_000, 'search', () => fillInTurn(app));

/** Nodes that rested by turns would leave no rest. */
async function fillInTurn(app: App): Promise<void> {
  if ((await store.isQueued(app.db)) && (await claimTurn(app.db, 'search', turn))) await fill(app);
}

export async function fill(app: Pick<App, 'db' | 'draining'>): Promise<void> {
  const end = performance.now() + turn * 1_000;
  while (!app.draining && performance.now() < end) {
    const began = performance.now();
    if (!(await fillSlice(app.db, slice))) return;
    await sleep(rest * (performance.now() - began));
  }
}

/** Takes up to `most`. False if there are no more, or another node is at it. */
export async function fillSlice(db: Db, most: number): Promise<boolean> {
  if (!(await store.isQueued(db))) return false;
  const taken = await transaction(db, async (within) => {
    const [lock] = await query<{ isMine: boolean }>(
      within,
      'select pg_try_advisory_xact_lock($1) as "isMine"',
      [lockKey],
    );
    if (lock?.isMine !== true) return 0;
    const ids = await store.takeQueued(within, most);
    await put(within, ids);
    return ids.length;
  });
  if (taken > 0) await store.tidyIndex(db);
  return taken > 0;
}

/** Read after they were taken: whoever changes one of them now queues it anew. */
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
  const rows: store.SearchRow[] = [];
  let letters = 0;
  for (const message of messages) {
    rows.push(rowOf(message, bucketOf.get(message.id) ?? 0));
    if ((letters += message.body.length) < lettersAtOnce) continue;
    letters = 0;
    await nextTurn();
  }
  await store.saveRows(db, rows);
}

/** Gives each a bucket: the last one until it is full, then the next. */
async function assignBuckets(
  db: Db,
  messages: store.Place[],
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

function rowOf(message: store.Searched, bucket: number): store.SearchRow {
  const { id, at, timelineId, authorId, body, files } = message;
  const content = contentOf(body, files);
  const keys = keysIn(bucket, [
    ...[anyPart, timelinePart(timelineId), authorPart(authorId)],
    ...partsIn(content),
  ]);
  return { id, at, timelineId, authorId, ...content, bucket, keys };
}

const partsIn = ({ folded, has, mentions }: Content): number[] => [
  ...partsOf(folded),
  ...mentions.map(mentionPart),
  ...hasKinds.flatMap((_, bit) => ((has >> bit) & 1 ? [hasPart(bit)] : [])),
];
