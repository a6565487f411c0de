import type { File } from '../../shared/files.ts';
import { query, type Db } from '../database/database.ts';
import type { Content } from './content.ts';

/** A place in the order of all messages: by their time, in microseconds, then by id. */
export interface SortKey {
  at: number;
  id: string;
}

export interface Searched extends SortKey {
  timelineId: string;
  authorId: string;
  body: string;
  files: File[] | null;
}

/** Messages that can be found: written by a user, with text or files, and not deleted. */
const isFound = `messages.deleted_at is null and messages.kind is null
  and (messages.body <> '' or messages.files is not null)`;
const searched = `messages.id, search_micros(created_at) as at, timeline_id as "timelineId",
  author_id as "authorId", body, files`;

export async function takeQueued(db: Db, limit: number): Promise<string[]> {
  const taken = await query<{ id: string }>(
    db,
    `delete from search_queue where ctid = any (array(
       select ctid from search_queue order by at, message_id limit $1 for update))
     returning message_id as id`,
    [limit],
  );
  return [...new Set(taken.map(({ id }) => id))];
}

/** Reads by the index, which skips deleted rows that it has met. The table keeps thousands until it is vacuumed. */
export const isQueued = async (db: Db): Promise<boolean> =>
  (await query(db, 'select 1 as one from search_queue order by at, message_id limit 1')).length > 0;

export const findSearched = (db: Db, ids: string[]): Promise<Searched[]> =>
  query(
    db,
    `select ${searched} from messages where id = any($1::uuid[]) and ${isFound} order by at, id`,
    [ids],
  );

export async function findBucketsOf(db: Db, ids: string[]): Promise<Map<string, number>> {
  const rows = await query<{ id: string; bucket: number }>(
    db,
    'select message_id as id, bucket from search_rows where message_id = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, bucket }) => [id, bucket]));
}

export interface Bucket {
  bucket: number;
  filled: number;
  oldest: number;
  newest: number;
}

export async function findLastBucket(db: Db): Promise<Bucket | undefined> {
  const [last] = await query<Bucket>(
    db,
    'select bucket, filled, oldest, newest from search_buckets order by bucket desc limit 1',
  );
  return last;
}

export const findBuckets = (
  db: Db,
  { from, before }: { from: number; before: number },
): Promise<Bucket[]> =>
  query(
    db,
    `select bucket, filled, oldest, newest from search_buckets
     where newest >= $1 and oldest <= $2 order by newest desc, bucket desc`,
    [from, before],
  );

export async function saveBuckets(db: Db, buckets: Bucket[]): Promise<void> {
  await query(
    db,
    `insert into search_buckets (bucket, filled, oldest, newest)
     select * from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[])
     on conflict (bucket) do update
       set filled = excluded.filled, oldest = excluded.oldest, newest = excluded.newest`,
    [
      buckets.map(({ bucket }) => bucket),
      buckets.map(({ filled }) => filled),
      buckets.map(({ oldest }) => oldest),
      buckets.map(({ newest }) => newest),
    ],
  );
}

export interface SearchRow extends Omit<Searched, 'body' | 'files'>, Content {
  bucket: number;
  keys: number[];
}

/** An array as text, because PostgreSQL requires arrays within an array to have one length. */
const listed = (values: readonly (string | number)[]) => `{${values.join(',')}}`;

export async function saveRows(db: Db, rows: SearchRow[]): Promise<void> {
  if (rows.length === 0) return;
  await query(
    db,
    `insert into search_rows (message_id, timeline_id, author_id, at, bucket, has, mentions, folded, keys)
     select id, timeline_id, author_id, at, bucket, has, mentions::uuid[], folded, keys::integer[]
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::integer[], $6::smallint[],
       $7::text[], $8::text[], $9::text[])
       as row (id, timeline_id, author_id, at, bucket, has, mentions, folded, keys)
     on conflict (message_id) do update set has = excluded.has, mentions = excluded.mentions,
       folded = excluded.folded, keys = excluded.keys`,
    [
      rows.map(({ id }) => id),
      rows.map(({ timelineId }) => timelineId),
      rows.map(({ authorId }) => authorId),
      rows.map(({ at }) => at),
      rows.map(({ bucket }) => bucket),
      rows.map(({ has }) => has),
      rows.map(({ mentions }) => (mentions.length === 0 ? null : listed(mentions))),
      rows.map(({ folded }) => folded),
      rows.map(({ keys }) => listed(keys)),
    ],
  );
}

export async function deleteRows(db: Db, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await query(db, 'delete from search_rows where message_id = any($1::uuid[])', [ids]);
}

/** Empties the index's list of pending entries, because every search reads all of it. */
export async function tidyIndex(db: Db): Promise<void> {
  await query(db, `select gin_clean_pending_list('search_rows_keys')`);
}

/** The newest queued messages before a place. Deleted ones, and ones in other timelines, come without content. */
export const findQueued = (
  db: Db,
  { timelineIds, from }: { timelineIds: string[]; from: number },
  before: SortKey,
  limit: number,
): Promise<(SortKey & Partial<Searched>)[]> =>
  query(
    db,
    `select queued.message_id as id, queued.at, timeline_id as "timelineId", author_id as "authorId", body, files
     from (
       select at, message_id from search_queue
       where (at, message_id) < ($3::bigint, $4::uuid) and at >= $2
       order by at desc, message_id desc limit $5
     ) as queued
     left join messages on messages.id = queued.message_id
       and messages.timeline_id = any($1::uuid[]) and ${isFound}
     order by queued.at desc, queued.message_id desc`,
    [timelineIds, from, before.at, before.id, limit],
  );
