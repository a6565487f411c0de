/** How many bytes files take, of all that there are for them, and whose they are. */
import { query, type Db } from '../database/database.ts';

/**
 * Counts bytes of new files, or fewer of one, as long as all together stay within `most`. To be called last: everyone
 * counts in one row.
 */
export async function reserve(db: Db, bytes: number, most: number): Promise<boolean> {
  const reserved = await query(
    db,
    'update file_usage set bytes = bytes + $1 where $1 <= 0 or bytes + $1 <= $2 returning 1 as one',
    [bytes, most],
  );
  return reserved.length === 1;
}

/** How many bytes all files may grow to. */
export async function usedBytes(db: Db): Promise<number> {
  const [usage] = await query<{ bytes: number }>(db, 'select bytes from file_usage');
  return usage?.bytes ?? 0;
}

export interface Uploader {
  /** Null for all those together who are no more. */
  userId: string | null;
  /** Their username, or a guest’s or a bot’s name. */
  name: string;
  files: number;
  bytes: number;
}

/** Those whose files take the most room. It reads every row of a file. */
export const largestUploaders = (db: Db, most: number): Promise<Uploader[]> =>
  query<Uploader>(
    db,
    `select largest.id as "userId", coalesce(username, display_name, '') as name, files, bytes
     from (
       select users.id, count(*)::int as files, sum(size + beside)::bigint as bytes
       from files left join users on users.id = uploader_id
       group by users.id order by bytes desc limit $1
     ) as largest left join users on users.id = largest.id order by bytes desc`,
    [most],
  );
