import { query, type Db } from '../database/database.ts';

/** Undefined fields stay unchanged; no longer sharing deletes the time zone. Returns whether it is shared. */
export async function updateLocalTime(
  db: Db,
  userId: string,
  { timeZone, shared }: { timeZone?: string | undefined; shared?: boolean | undefined },
): Promise<boolean> {
  const [row] = await query<{ shared: boolean }>(
    db,
    `update users set shares_time = coalesce($3, shares_time),
       time_zone = case when coalesce($3, shares_time) then coalesce($2, time_zone) end
     where id = $1 returning shares_time as shared`,
    [userId, timeZone ?? null, shared ?? null],
  );
  return row?.shared ?? false;
}

/** Null if it is not shared. */
export async function findTimeZone(db: Db, userId: string): Promise<string | null> {
  const [row] = await query<{ timeZone: string | null }>(
    db,
    'select time_zone as "timeZone" from users where id = $1',
    [userId],
  );
  return row?.timeZone ?? null;
}
