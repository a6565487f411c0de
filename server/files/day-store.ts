/** Counts the bytes that an account or a network has begun to upload within 24 hours of the first. */
import { query, type Db } from '../database/database.ts';

export interface Counted {
  /** An account, or a network. */
  who: string;
  bytes: number;
}

/** Counts those within `maxBytes`, and returns them. Call it late in a transaction: a network's guests share one row. */
export async function countForDay(
  db: Db,
  counted: readonly Counted[],
  maxBytes: number,
): Promise<Set<string>> {
  const rows = await query<{ who: string }>(
    db,
    `insert into upload_days as day (who, bytes)
       select who, bytes from unnest($1::text[], $2::bigint[]) as counted (who, bytes)
       where bytes <= $3 order by who
     on conflict (who) do update set
       bytes = excluded.bytes + case when ${isOver} then 0 else day.bytes end,
       -- Of two that begin a day at once, the one that began first may be counted last.
       began_at = case when ${isOver} then now() else least(day.began_at, now()) end
     where ${isOver} or day.bytes + excluded.bytes <= $3
     returning who`,
    [...columnsOf(counted), maxBytes],
  );
  return new Set(rows.map(({ who }) => who));
}

const isOver = `day.began_at <= now() - interval '1 day'`;

/** Subtracts bytes that were counted at this time, unless that day is over. */
export async function giveBackForDay(
  db: Db,
  counted: readonly Counted[],
  countedAt: string,
): Promise<void> {
  await query(
    db,
    `update upload_days as day set bytes = greatest(0, day.bytes - counted.bytes)
     from unnest($1::text[], $2::bigint[]) as counted (who, bytes)
     where day.who = counted.who and began_at <= $3::timestamptz`,
    [...columnsOf(counted), countedAt],
  );
}

const columnsOf = (counted: readonly Counted[]) => [
  counted.map(({ who }) => who),
  counted.map(({ bytes }) => bytes),
];

export interface Day {
  who: string;
  bytes: number;
  /** In milliseconds. */
  endsIn: number;
}

export const findDays = (db: Db, who: readonly string[]): Promise<Day[]> =>
  query<Day>(
    db,
    `select who, bytes,
       ceil(extract(epoch from began_at + interval '1 day' - now()) * 1000)::bigint as "endsIn"
     from upload_days as day where who = any($1) and not ${isOver}`,
    [who],
  );

export async function deleteOverDays(db: Db): Promise<void> {
  await query(db, `delete from upload_days as day where ${isOver}`);
}
