/**
 * The rows of files that move. A file that moved back to the database gets the key of a new object, so an object that
 * was removed, or is about to be, is never written again.
 */
import { named, query, type Db } from '../database/database.ts';
import type { StoredFile } from './store.ts';

/** `size` includes the variants of a picture. */
export type MovingFile = Pick<StoredFile, 'id' | 'object' | 'size'>;

const unmoved = 'moved_at is null and finished_at is not null';
const moved = 'moved_at is not null';

/** For `seconds` no other node moves or deletes the claimed file. */
const claim = (which: string) =>
  `update files set moving_until = now() + $1 * interval '1 second' where id = (
     select id from files where ${which} and not dropped and (moving_until is null or moving_until < now())
     order by moving_until nulls first limit 1 for update skip locked)
   returning id, coalesce(object, id) as object, size + beside as size`;

export async function claimUnmoved(db: Db, seconds: number): Promise<MovingFile | undefined> {
  return (await query<MovingFile>(db, claim(unmoved), [seconds]))[0];
}

export async function claimMoved(db: Db, seconds: number): Promise<MovingFile | undefined> {
  return (await query<MovingFile>(db, claim(moved), [seconds]))[0];
}

/** False if the file is no longer where it was when it was claimed, or is deleted. */
export async function renewClaim(
  db: Db,
  { id, object }: MovingFile,
  seconds: number,
): Promise<boolean> {
  const renewed = await query(
    db,
    `update files set moving_until = now() + $3 * interval '1 second'
     where id = $1 and coalesce(object, id) = $2 and moved_at is null returning 1 as one`,
    [id, object, seconds],
  );
  return renewed.length === 1;
}

/** From this commit on the file is read from the object store. False: see `renewClaim`. */
export async function markMoved(db: Db, { id, object }: MovingFile): Promise<boolean> {
  const marked = await query(
    db,
    `update files set moved_at = clock_timestamp(), moving_until = null
     where id = $1 and coalesce(object, id) = $2 and moved_at is null returning 1 as one`,
    [id, object],
  );
  return marked.length === 1;
}

/** Stores a chunk of a file that moves back, and renews the claim. False: see `renewClaim`, or another node undid the move. */
export async function addMovedChunk(
  db: Db,
  { id, object }: MovingFile,
  { at, bytes }: { at: number; bytes: Uint8Array },
  seconds: number,
): Promise<boolean> {
  return (await query(db, adding, [id, object, at, bytes, seconds])).length === 1;
}

const adding = named(
  `with file as (
     update files set moving_until = now() + $5 * interval '1 second'
     where id = $1 and coalesce(object, id) = $2 and moving_until is not null
     returning id)
   insert into file_chunks (file_id, at, bytes) select id, $3, $4 from file
   on conflict (file_id, at) do update set bytes = excluded.bytes returning 1 as one`,
);

/**
 * From this commit on the file is read from the database. The object can be removed after `seconds`. Does nothing
 * unless all chunks are stored, because another node may have begun the move again. Call it in a transaction.
 */
export async function markMovedBack(
  db: Db,
  { id, object }: MovingFile,
  seconds: number,
): Promise<void> {
  // A statement of its own: one that waits for this lock would still see the chunks that the other node has deleted.
  await query(db, 'select 1 as one from files where id = $1 for update', [id]);
  await query(
    db,
    `with file as (
       update files set moved_at = null, moving_until = null, object = gen_random_uuid()
       where id = $1 and coalesce(object, id) = $2
         and size + beside = (select sum(length(bytes)) from file_chunks where file_id = $1)
       returning id)
     insert into old_objects (object, removable_at)
     select $2, now() + $3 * interval '1 second' from file`,
    [id, object, seconds],
  );
}

/** Postpones a move back, for `seconds` from now. */
export async function postpone(db: Db, { id }: MovingFile, seconds: number): Promise<void> {
  await query(
    db,
    `update files set moving_until = now() + $2 * interval '1 second' where id = $1 and ${moved}`,
    [id, seconds],
  );
}

/** Ends a move back to the database that was not finished, and returns the file's id. */
export async function undoMoveBack(db: Db): Promise<string | undefined> {
  const [file] = await query<{ id: string }>(
    db,
    `update files set moving_until = null where id = (
       select id from files where ${moved} and not dropped and moving_until < now()
       order by moving_until limit 1 for update skip locked)
     returning id`,
  );
  return file?.id;
}

/** Notes the object of a file that another node moved back or deleted, because its claim had expired. */
export async function noteIfUnused(db: Db, { id, object }: MovingFile): Promise<void> {
  await query(
    db,
    `insert into old_objects (object, removable_at) select $2, now()
     where not exists (select from files where id = $1 and coalesce(object, id) = $2)
     on conflict do nothing`,
    [id, object],
  );
}

/** Returns an object that no file refers to and nobody reads. Call it in the transaction that removes the object. */
export async function takeOldObject(db: Db): Promise<string | undefined> {
  const [old] = await query<{ object: string }>(
    db,
    `delete from old_objects where object = (
       select object from old_objects where removable_at < now()
       order by removable_at limit 1 for update skip locked)
     returning object`,
  );
  return old?.object;
}

export async function countObjects(db: Db): Promise<number> {
  const [count] = await query<{ objects: number }>(
    db,
    `select ((select count(*) from files where ${moved}) + (select count(*) from old_objects))::int as objects`,
  );
  return count?.objects ?? 0;
}

export async function hasObjects(db: Db): Promise<boolean> {
  const [found] = await query<{ has: boolean }>(
    db,
    `select exists (select from files where ${moved}) or exists (select from old_objects) as has`,
  );
  return found?.has === true;
}
