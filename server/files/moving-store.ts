import { query, type Db } from '../database/database.ts';
import type { StoredFile } from './store.ts';

/** For `seconds` no other node moves or deletes the claimed file. `size` includes the variants of a picture. */
export async function claimUnmoved(
  db: Db,
  seconds: number,
): Promise<Pick<StoredFile, 'id' | 'size'> | undefined> {
  const [file] = await query<Pick<StoredFile, 'id' | 'size'>>(
    db,
    `update files set moving_until = now() + $1 * interval '1 second' where id = (
       select id from files where moved_at is null and finished_at is not null and not dropped
         and (moving_until is null or moving_until < now())
       order by moving_until nulls first limit 1 for update skip locked)
     returning id, size + beside as size`,
    [seconds],
  );
  return file;
}

/** From this commit on the file is read from the object store. False if it has moved already, or is deleted. */
export async function markMoved(db: Db, id: string): Promise<boolean> {
  const moved = await query(
    db,
    `update files set moved_at = clock_timestamp(), moving_until = null
     where id = $1 and moved_at is null returning 1 as one`,
    [id],
  );
  return moved.length === 1;
}

export async function hasMoved(db: Db): Promise<boolean> {
  const moved = await query(db, 'select 1 as one from files where moved_at is not null limit 1');
  return moved.length === 1;
}
