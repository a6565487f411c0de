/** Uploads: rows of `files` from the first chunk until the file is finished, or dropped before anything uses it. */
import { named, query, type Db } from '../database/database.ts';
import type { StoredFile } from './store.ts';

export type Picture = Pick<
  StoredFile,
  'size' | 'width' | 'height' | 'placeholder' | 'sizes' | 'beside'
>;

export type NewFile = Pick<
  StoredFile,
  'id' | 'uploaderId' | 'timelineId' | 'purpose' | 'name' | 'size'
>;

const unfinished = `select count(*)::int from files
  where uploader_id = $2 and finished_at is null and received < size and not dropped`;

/** False when the id is taken, or when the uploader already has `limit` unfinished files. */
export async function insertFile(db: Db, file: NewFile, limit: number): Promise<boolean> {
  const { id, uploaderId, timelineId, purpose, name, size } = file;
  const inserted = await query(
    db,
    `insert into files (id, uploader_id, timeline_id, purpose, name, size)
     select $1, $2, $3, $4, $5, $6 where (${unfinished}) < $7
     on conflict (id) do nothing returning 1 as one`,
    [id, uploaderId, timelineId, purpose, name, size, limit],
  );
  return inserted.length === 1;
}

/** Inserts a finished picture that the node made itself, in one chunk. */
export async function insertMade(
  db: Db,
  file: Pick<StoredFile, 'id' | 'uploaderId' | 'timelineId' | 'size' | 'sha256'>,
): Promise<void> {
  await query(
    db,
    `insert into files (id, uploader_id, timeline_id, name, size, received, reserved, type, sha256, finished_at)
     values ($1, $2, $3, 'preview', $4, $4, $4, 'image/webp', $5, clock_timestamp())`,
    [file.id, file.uploaderId, file.timelineId, file.size, file.sha256],
  );
}

/**
 * Returns how many bytes have arrived; undefined if the chunk does not follow the last one, or no room is reserved for
 * it. The commit does not wait for the disk: the commit that finishes the file does, and covers all before it.
 */
export async function addBytes(
  db: Db,
  { id, uploaderId }: Pick<StoredFile, 'id' | 'uploaderId'>,
  offset: number,
  bytes: Uint8Array,
): Promise<number | undefined> {
  const values = [id, uploaderId, offset, bytes.length, bytes];
  const [file] = await query<{ received: number }>(db, adding, values);
  return file?.received;
}

const adding = named(
  `with advanced as (
     update files set received = received + $4, progressed_at = now()
     from set_config('synchronous_commit', 'off', true)
     where id = $1 and uploader_id = $2 and received = $3 and received + $4 <= reserved
       and finished_at is null and not dropped
     returning id, received
   ), stored as (
     insert into file_chunks (file_id, at, bytes) select id, $3, $5::bytea from advanced
     on conflict (file_id, at) do update set bytes = excluded.bytes
   ) select received from advanced`,
);

/** Reserves room up to `to`. False when another request did since this file was read. */
export async function raiseReserved(
  db: Db,
  { id, reserved }: Pick<StoredFile, 'id' | 'reserved'>,
  to: number,
): Promise<boolean> {
  const raised = await query(
    db,
    `update files set reserved = $3
     where id = $1 and reserved = $2 and finished_at is null and not dropped returning 1 as one`,
    [id, reserved, to],
  );
  return raised.length === 1;
}

/** After a wrong hash. The `limit`th time, marks the file for deletion instead, and returns false. */
export async function restart(db: Db, id: string, limit: number): Promise<boolean> {
  const [file] = await query<{ dropped: boolean }>(
    db,
    `update files set received = 0, sha256 = null, restarts = restarts + 1, progressed_at = now(),
       dropped = restarts + 1 >= $2
     where id = $1 and received = size and finished_at is null and not dropped returning dropped`,
    [id, limit],
  );
  return file?.dropped === false;
}

/** Locks a file that has arrived as a whole, to finish it. False if it is finished or deleted already. */
export async function lockWhole(db: Db, id: string): Promise<boolean> {
  const whole = await query(
    db,
    `select 1 as one from files
     where id = $1 and received = size and finished_at is null and not dropped for update`,
    [id],
  );
  return whole.length === 1;
}

/** Stores what was read of a file whose `finish` is refused until its sender confirms. */
export async function saveContent(
  db: Db,
  { id, type, sha256 }: Pick<StoredFile, 'id' | 'type' | 'sha256'>,
): Promise<void> {
  await query(
    db,
    `update files set type = $2, sha256 = $3
     where id = $1 and received = size and finished_at is null and not dropped`,
    [id, type, sha256],
  );
}

export async function finish(
  db: Db,
  file: Pick<StoredFile, 'id' | 'type' | 'sha256'> & Partial<Picture>,
): Promise<void> {
  const { id, type, sha256, size, width, height, placeholder, sizes, beside } = file;
  await query(
    db,
    `update files set type = $2, sha256 = $3, finished_at = clock_timestamp(), size = coalesce($4, size),
       received = coalesce($4, size), reserved = coalesce($4, size) + $9, width = $5, height = $6, placeholder = $7,
       sizes = $8::jsonb, beside = $9
     where id = $1 and received = size and finished_at is null`,
    [
      ...[id, type, sha256, size ?? null, width ?? null, height ?? null, placeholder ?? null],
      ...[sizes ? JSON.stringify(sizes) : null, beside ?? 0],
    ],
  );
}

/** Marks an unused upload for deletion. Returns how many of its bytes had not arrived, and when it was begun. */
export async function dropUnnamed(
  db: Db,
  { id, uploaderId }: Pick<StoredFile, 'id' | 'uploaderId'>,
): Promise<{ unsentBytes: number; begunAt: string } | undefined> {
  const [dropped] = await query<{ unsentBytes: number; begunAt: string }>(
    db,
    `update files set dropped = true
     where id = $1 and uploader_id = $2 and message_id is null and owner_id is null and not dropped
     returning case when finished_at is null then size - received else 0 end as "unsentBytes",
       created_at::text as "begunAt"`,
    [id, uploaderId],
  );
  return dropped;
}
