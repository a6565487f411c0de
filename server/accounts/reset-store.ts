import { quotas } from '../../shared/quotas.ts';
import { query, type Db } from '../database/database.ts';

export async function saveReset(db: Db, userId: string, secretHash: string): Promise<Date> {
  const rows = await query<{ expiresAt: Date }>(
    db,
    `insert into password_resets (user_id, secret_hash, expires_at)
     values ($1, $2, now() + make_interval(secs => $3))
     on conflict (user_id) do update
       set secret_hash = excluded.secret_hash, expires_at = excluded.expires_at
     returning expires_at as "expiresAt"`,
    [userId, secretHash, quotas.resetSeconds],
  );
  return (rows[0] as { expiresAt: Date }).expiresAt;
}

export async function findReset(db: Db, secretHash: string): Promise<string | undefined> {
  const [row] = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from password_resets
     where secret_hash = $1 and expires_at > now()`,
    [secretHash],
  );
  return row?.userId;
}

/** Deletes the link. Returns false if it no longer works, or if the account is suspended. */
export async function useReset(
  db: Db,
  { userId, secretHash, passwordHash }: Record<'userId' | 'secretHash' | 'passwordHash', string>,
): Promise<boolean> {
  const rows = await query(
    db,
    `with used as (
       delete from password_resets
       where user_id = $1 and secret_hash = $2 and expires_at > now() returning user_id
     )
     update users set password_hash = $3, password_reset_at = now() from used
     where users.id = used.user_id and suspended_at is null returning users.id`,
    [userId, secretHash, passwordHash],
  );
  return rows.length === 1;
}

export async function deleteReset(db: Db, userId: string): Promise<void> {
  await query(db, 'delete from password_resets where user_id = $1', [userId]);
}

export async function deleteExpiredResets(db: Db): Promise<void> {
  await query(db, 'delete from password_resets where expires_at <= now()');
}
