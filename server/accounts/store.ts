import type { Account } from '../../shared/accounts.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { StatusText } from '../../shared/people.ts';
import { accountColumns, toAccount, type AccountRow } from '../people/account-row.ts';
import { searchable } from '../people/name-search.ts';
import { users, type UserRow } from './model.ts';

export async function lockAccountRow(db: Db, id: string): Promise<void> {
  await query(db, 'select 1 from users where id = $1 for no key update', [id]);
}

/** An account and its password hash, which is null for accounts without a password. */
export interface Credentials {
  user: Account;
  passwordHash: string | null;
  isSuspended?: boolean;
  passwordResetAt?: Date | null | undefined;
}

/** `username` must be folded. */
export async function findCredentials(
  db: Db,
  where: { username: string } | { id: string },
): Promise<Credentials | undefined> {
  const row = (await users(db).findOne({ where, ...within(db) }))?.get();
  if (row === undefined) return undefined;
  const { passwordHash, passwordResetAt, suspendedAt } = row;
  const isSuspended = suspendedAt !== null;
  return { user: toAccount(row), passwordHash, passwordResetAt, isSuspended };
}

export async function takenAmong(db: Db, usernames: string[]): Promise<Set<string>> {
  const rows = await query<{ username: string }>(
    db,
    'select username from users where username = any($1::text[])',
    [usernames],
  );
  return new Set(rows.map(({ username }) => username));
}

export type NewAccount = Pick<
  UserRow,
  'id' | 'kind' | 'username' | 'displayName' | 'passwordHash'
> & {
  ownerId?: string;
  /** Absent for bots. */
  origin?: Origin;
};

/** Keyed hashes: see origins.ts. */
export interface Origin {
  device: string;
  network: string | null;
}

const newAccount = named(
  `with account as (
     insert into users (id, kind, username, display_name, password_hash, bot_owner_id,
       folded_name, folded_username, name_parts)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9::text[])
     on conflict (username) do nothing returning ${accountColumns}
   ), origin as (
     insert into origins (user_id, device, network)
     select id, $10, $11 from account where $10::text is not null
   )
   select * from account`,
);

/** Undefined if the username is taken. */
export async function insertAccount(db: Db, account: NewAccount): Promise<Account | undefined> {
  const { id, kind, username, displayName, passwordHash, ownerId = null, origin } = account;
  const { folded, parts } = searchable({ name: displayName, username });
  const [row] = await query<AccountRow>(db, newAccount, [
    ...[id, kind, username, displayName, passwordHash, ownerId],
    ...folded,
    parts,
    ...[origin?.device ?? null, origin?.network ?? null],
  ]);
  return row && toAccount(row);
}

export async function deleteOldOrigins(db: Db, days: number, limit: number): Promise<void> {
  await query(
    db,
    `delete from origins where user_id in (
       select user_id from origins where created_at < now() - make_interval(days => $1)
       order by created_at limit $2)`,
    [days, limit],
  );
}

/**
 * Makes a guest a registered user. Returns undefined if the account is no longer a guest, or the username is taken. If
 * the username is taken at the same moment, the query fails with a unique violation, after which `commit` retries.
 */
export async function registerGuest(
  db: Db,
  id: string,
  to: { username: string; passwordHash: string; displayName: string | undefined },
): Promise<Account | undefined> {
  const [row] = await query<AccountRow>(
    db,
    `update users set kind = 'registered', username = $2, password_hash = $3,
       display_name = coalesce($4, display_name), rev = rev + 1
     where id = $1 and kind = 'guest' and not exists (select 1 from users where username = $2)
     returning ${accountColumns}`,
    [id, to.username, to.passwordHash, to.displayName ?? null],
  );
  return row && toAccount(row);
}

export interface Profile {
  name?: string | undefined;
  /** A file's id; null for no picture. */
  avatar?: string | null | undefined;
  statusText?: StatusText | null | undefined;
}

/** Returns undefined if nothing changes. */
export async function updateProfile(
  db: Db,
  id: string,
  { name, avatar, statusText }: Profile,
): Promise<Account | undefined> {
  const [row] = await query<AccountRow>(
    db,
    `update users set display_name = coalesce($2, display_name), rev = rev + 1,
       avatar_id = case when $3 then $4::uuid else avatar_id end,
       status_text = case when $5 then $6::jsonb else status_text end
     where id = $1 and (display_name <> $2 or $3 and avatar_id is distinct from $4::uuid
       or $5 and status_text is distinct from $6::jsonb)
     returning ${accountColumns}`,
    [
      ...[id, name ?? null, avatar !== undefined, avatar ?? null],
      ...[statusText !== undefined, statusText ? JSON.stringify(statusText) : null],
    ],
  );
  return row && toAccount(row);
}

/** False if `from` is no longer the hash. */
export async function replacePassword(
  db: Db,
  userId: string,
  from: string,
  to: { passwordHash: string; passwordResetAt?: null },
): Promise<boolean> {
  const [count] = await users(db).update(to, {
    where: { id: userId, passwordHash: from },
    ...within(db),
  });
  return count === 1;
}

export async function findAwayGuests(db: Db, days: number, limit: number): Promise<Account[]> {
  const rows = await query<AccountRow>(
    db,
    `select ${accountColumns} from users
     where kind = 'guest' and ended_at is null and away_since < now() - $1 * interval '1 day'
       and not exists (select 1 from sessions where user_id = users.id)
     order by away_since limit $2`,
    [days, limit],
  );
  return rows.map(toAccount);
}

export async function noteGuestEnded(db: Db, id: string): Promise<void> {
  await query(db, 'update users set ended_at = now() where id = $1', [id]);
}

/** Postpones a guest by an hour, so that one that fails does not hold up others. */
export async function postponeGuest(db: Db, id: string, days: number): Promise<void> {
  const sql = `update users set away_since = now() - $2 * interval '1 day' + interval '1 hour' where id = $1`;
  await query(db, sql, [id, days]);
}
