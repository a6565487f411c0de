import { query, type Db } from './database.ts';

/**
 * Whether the caller may do what one node at a time does, for so many seconds: the first that asks may. A row says
 * so and not a lock, which would keep a transaction open all the while; what two do at once must do no harm.
 */
export async function claimTurn(db: Db, name: string, seconds: number): Promise<boolean> {
  const claimed = await query(
    db,
    `insert into settings (key, value) values ($1, now()::text)
     on conflict (key) do update set value = excluded.value
       where settings.value::timestamptz < now() - $2 * interval '1 second'
     returning key`,
    [`turn: ${name}`, seconds],
  );
  return claimed.length === 1;
}
