import { query, type Db } from '../database/database.ts';

/** Call it last in a transaction, because the total is one row that all uploads update. Negative `bytes` always fit. */
export async function reserve(db: Db, bytes: number, maxBytes: number): Promise<boolean> {
  const reserved = await query(
    db,
    'update file_usage set bytes = bytes + $1 where $1 <= 0 or bytes + $1 <= $2 returning 1 as one',
    [bytes, maxBytes],
  );
  return reserved.length === 1;
}

export async function usedBytes(db: Db): Promise<number> {
  const [usage] = await query<{ bytes: number }>(db, 'select bytes from file_usage');
  return usage?.bytes ?? 0;
}

export interface Uploader {
  /** Null for all deleted accounts together. */
  userId: string | null;
  name: string;
  files: number;
  bytes: number;
}

/** Reads every row of `files`. */
export const largestUploaders = (db: Db, limit: number): Promise<Uploader[]> =>
  query<Uploader>(
    db,
    `select largest.id as "userId", coalesce(username, display_name, '') as name, files, bytes
     from (
       select users.id, count(*)::int as files, sum(size + beside)::bigint as bytes
       from files left join users on users.id = uploader_id
       group by users.id order by bytes desc limit $1
     ) as largest left join users on users.id = largest.id order by bytes desc`,
    [limit],
  );
