/**
 * Searches from the newest message on, within bounds. Reads buckets, by the index, and the queue. Neither is exactly in
 * order of time, so a hit counts once nothing unread can be newer.
 */
import { setImmediate as nextTick } from 'node:timers/promises';
import { query, type Db } from '../database/database.ts';
import { lettersPerTick } from './rows.ts';
import { findBuckets, findQueued, type Bucket, type SortKey } from './store.ts';
import { conditionOf, fits, isIndexed, partsOfWanted, type Wanted } from './wanted.ts';

export interface Found extends SortKey {
  score: number;
}

export interface Walked {
  /** The newest first. */
  found: Found[];
  /** A lower bound for the number of hits: those seen so far. */
  atLeast: number;
  end?: SortKey;
}

/** The bounds of a search: hits, milliseconds, and steps, each of which reads some buckets or a part of the queue. */
export interface Reach {
  enough: number;
  ms: number;
  steps: number;
}

/** The greatest id, so that a place includes all messages of its time. */
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const queuedAtOnce = 300;
const maxBuckets = 8;

const inOrder = (a: SortKey, b: SortKey) => b.at - a.at || (a.id < b.id ? 1 : -1);

/** `db` must be a snapshot, or the search could miss a message that moves from the queue to a bucket meanwhile. */
export async function walk(
  db: Db,
  wanted: Wanted,
  { before, isRanked }: { before: SortKey; isRanked: boolean },
  { enough, ms, steps }: Reach,
): Promise<Walked> {
  const began = performance.now();
  const parts = partsOfWanted(wanted);
  const [buckets] = await Promise.all([
    findBuckets(db, { from: wanted.from, before: before.at }),
    // For frequent words, the planner would scan the whole table and expect a match soon.
    query(db, 'set local enable_seqscan = off'),
  ]);
  const hits = new Map<string, Found>();
  const queue: { next?: SortKey | undefined } = { next: before };
  let [matched, floor] = [0, -1];
  let size = 1;

  const readBuckets = async () => {
    const chosen = buckets.splice(0, size);
    if (chosen.length === 0) return;
    if (isIndexed(parts)) size = Math.min(2 * size, maxBuckets);
    const found = await findIn(db, wanted, chosen, { before, isRanked, limit: enough + 1 });
    matched += found[0]?.of ?? 0;
    // The buckets can have further matches, all older than the last of these.
    floor = Math.max(floor, found[enough]?.at ?? -1);
    for (const { id, at, score } of found) hits.set(id, { id, at, score });
  };
  const readQueued = async (from: SortKey) => {
    const rows = await findQueued(db, wanted, from, queuedAtOnce);
    let letters = 0;
    for (const row of rows) {
      if ((letters += row.body?.length ?? 0) > lettersPerTick) {
        letters = 0;
        await nextTick();
      }
      if (hits.has(row.id) || !fits(wanted, row)) continue;
      hits.set(row.id, { id: row.id, at: row.at, score: 0 });
      matched += 1;
    }
    queue.next = rows.length < queuedAtOnce ? undefined : rows.at(-1);
  };

  for (let step = 0; ; step += 1) {
    const frontier =
      step === 0 ? Infinity : Math.max(buckets[0]?.newest ?? -1, queue.next?.at ?? -1);
    const found = [...hits.values()].sort(inOrder);
    const sure = floor > frontier ? found : found.filter(({ at }) => at > frontier);
    const isOver = step >= steps || (step > 0 && performance.now() - began > ms);
    if (sure.length > enough || frontier < 0 || isOver) {
      const page = sure.slice(0, enough);
      const last = page.at(-1);
      if (sure.length > enough && last !== undefined)
        return { found: page, atLeast: matched, end: last };
      if (frontier < 0) return { found: page, atLeast: page.length };
      return { found: page, atLeast: matched, end: { at: frontier, id: lastId } };
    }
    if (step === 0) await Promise.all([readBuckets(), readQueued(before)]);
    else if (queue.next !== undefined && queue.next.at >= (buckets[0]?.newest ?? -1))
      await readQueued(queue.next);
    else await readBuckets();
  }
}

/** The newest matches, and their number. Leaves out queued messages: they have changed since they were indexed. */
function findIn(
  db: Db,
  wanted: Wanted,
  buckets: readonly Bucket[],
  { before, isRanked, limit }: { before: SortKey; isRanked: boolean; limit: number },
): Promise<(Found & { of: number })[]> {
  const values: unknown[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const condition = conditionOf(
    wanted,
    partsOfWanted(wanted),
    buckets.map(({ bucket }) => bucket),
    bind,
  );
  return query(
    db,
    `select message_id as id, at, ${isRanked ? scoreOf(wanted.words, bind) : '0'} as score,
       count(*) over ()::integer as of
     from search_rows
     where ${condition}
       and (at, message_id) < (${bind(before.at)}::bigint, ${bind(before.id)}::uuid)
       and not exists (
         select from search_queue
         where search_queue.at = search_rows.at and search_queue.message_id = search_rows.message_id)
     order by at desc, message_id desc limit ${bind(limit)}`,
    values,
  );
}

/** Counts the words that occur as whole words, and one more if all occur together as typed. */
function scoreOf(words: string[], bind: (value: unknown) => string): string {
  const spaced = `' ' || translate(folded, '.,;:!?()*_"', '           ') || ' '`;
  const whole = words.map((word) => `(strpos(${spaced}, ${bind(` ${word} `)}) > 0)::integer`);
  const together =
    words.length > 1 ? [`(strpos(folded, ${bind(words.join(' '))}) > 0)::integer`] : [];
  return [...whole, ...together, '0'].join(' + ');
}
