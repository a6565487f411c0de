import type { Account, Session } from '../../shared/accounts.ts';
import type { Bot } from '../../shared/bots.ts';
import { named, query, type Db, type NamedValues } from '../database/database.ts';
import type { SessionEnding } from '../connection/session-endings.ts';
import { accountColumns, toAccount, type AccountRow } from '../people/account-row.ts';

interface NewSession {
  /** The public id, which rooms and lists use. */
  id: string;
  /** SHA-256 of the cookie's id, so that nobody who reads the table can sign in with it. */
  tokenHash: string;
  userId: string;
  /** A token's scopes; empty for a session. */
  data: object;
}

const expiry = (since: string) =>
  `least(now() + interval '30 days', ${since} + interval '180 days')`;
const prolonged = `case when expires_at = 'infinity' then expires_at else ${expiry('created_at')} end`;
const live = 'sessions.expires_at > now()';

const newSession = named(
  `with owner as (
     select id from users
     where id = $3 and password_hash is not distinct from $6 and suspended_at is null for share
   )
   insert into sessions (id, token_hash, user_id, data, device, expires_at)
   select $1, $2, owner.id, $4::jsonb, $5, ${expiry('now()')} from owner returning id`,
);

/**
 * Stores a new session. Returns false if the account's password is no longer the one that was compared, or the account
 * was suspended: a sign-in must not outlive such a change. The share lock makes one wait for the other.
 */
export async function insertSession(
  db: Db,
  session: NewSession & { device: string },
  passwordHash: string | null,
): Promise<boolean> {
  const { id, tokenHash, userId, data, device } = session;
  const bind = [id, tokenHash, userId, JSON.stringify(data), device, passwordHash];
  return (await query(db, newSession, bind)).length === 1;
}

export async function insertToken(
  db: Db,
  { id, tokenHash, userId, data }: NewSession,
): Promise<void> {
  await query(
    db,
    `insert into sessions (id, token_hash, user_id, data, device, expires_at)
     values ($1, $2, $3, $4::jsonb, 'token', 'infinity')`,
    [id, tokenHash, userId, JSON.stringify(data)],
  );
}

/** `here_since`: the beginning of use without a break of 15 minutes. It decides which people `@here` reaches. */
const seenNow = `last_seen_at = now(), here_since = case
  when last_seen_at < now() - interval '15 minutes' then now() else here_since end`;

/** Undefined while the bot's owner is suspended. */
export async function useToken(
  db: Db,
  tokenHash: string,
): Promise<{ user: Account; sessionId: string } | undefined> {
  const [row] = await query<AccountRow & { sessionId: string; scopes: Bot['scopes'] }>(
    db,
    `with seen as (
       update sessions set last_seen_at = now()
       where token_hash = $1 and last_seen_at < now() - interval '1 minute'
     )
     select ${accountColumns}, sessions.id as "sessionId", sessions.data->'scopes' as scopes
     from sessions join users on users.id = sessions.user_id
     where token_hash = $1 and users.kind = 'bot' and ${live} and not exists (
       select 1 from users as owners
       where owners.id = users.bot_owner_id and owners.suspended_at is not null)`,
    [tokenHash],
  );
  return row && { user: { ...toAccount(row), scopes: row.scopes }, sessionId: row.sessionId };
}

const sessionByHash = named(
  `with seen as (
     update sessions set ${seenNow}, expires_at = ${prolonged}
     where token_hash = $1 and ${live} and last_seen_at < now() - interval '1 minute'
   )
   select ${accountColumns}, sessions.id as "sessionId"
   from sessions join users on users.id = sessions.user_id
   where token_hash = $1 and ${live} and suspended_at is null`,
);

export async function useSession(
  db: Db,
  tokenHash: string,
): Promise<{ user: Account; sessionId: string } | undefined> {
  const [row] = await query<AccountRow & { sessionId: string }>(db, sessionByHash, [tokenHash]);
  return row && { user: toAccount(row), sessionId: row.sessionId };
}

const liveById = named(
  `select 1 from sessions join users on users.id = sessions.user_id
   left join users as owners on owners.id = users.bot_owner_id
   where sessions.id = $1 and ${live} and users.suspended_at is null and owners.suspended_at is null`,
);

export const isLive = async (db: Db, id: string): Promise<boolean> =>
  (await query(db, liveById, [id])).length > 0;

export async function findSessions(db: Db, userId: string): Promise<Omit<Session, 'current'>[]> {
  const rows = await query<{ id: string; device: string; createdAt: Date; lastSeenAt: Date }>(
    db,
    `select id, device, created_at as "createdAt", last_seen_at as "lastSeenAt" from sessions
     where user_id = $1 and ${live} order by last_seen_at desc`,
    [userId],
  );
  return rows.map(({ createdAt, lastSeenAt, ...row }) => ({
    ...row,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  }));
}

/** Returns the live ones of these sessions. */
export async function useLiveSessions(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(
    db,
    `with seen as (
       update sessions set ${seenNow}, expires_at = ${prolonged}
       where id = any($1::uuid[]) and ${live} and last_seen_at < now() - interval '5 minutes'
     )
     select id from sessions where id = any($1::uuid[]) and ${live}`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Deletes sessions, and writes revocations for nodes that receive no message about them. */
const ending = (condition: string) =>
  named(
    `with gone as (delete from sessions where ${condition} returning id, user_id),
     away as (
       update users set away_since = now() from gone where users.id = gone.user_id and kind = 'guest'
     )
     insert into revocations (session_id, closing) select id, $1 from gone
     returning session_id as id`,
  );

async function end(db: Db, statement: NamedValues, why: SessionEnding, ...more: unknown[]) {
  const rows = await query<{ id: string }>(db, statement, [why, ...more]);
  return rows.map(({ id }) => id);
}

const byToken = ending('token_hash = $2');
const byId = ending('id = $2 and user_id = $3');
const others = ending('user_id = $2 and id <> $3');
const all = ending('user_id = $2');
const surplus = ending(`id in (
  select id from sessions where user_id = $2 order by last_seen_at desc, created_at desc offset $3)`);
const expired = ending('expires_at <= now()');

export async function deleteSessionOfToken(db: Db, tokenHash: string): Promise<void> {
  await end(db, byToken, 'renewed', tokenHash);
}

export const deleteSession = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await end(db, byId, 'revoked', id, userId)).length === 1;

export const deleteOtherSessions = (db: Db, userId: string, currentId: string): Promise<string[]> =>
  end(db, others, 'revoked', userId, currentId);

export const deleteSessionsOf = (db: Db, userId: string, why: SessionEnding): Promise<string[]> =>
  end(db, all, why, userId);

export const deleteSurplusSessions = (db: Db, userId: string, limit: number): Promise<string[]> =>
  end(db, surplus, 'revoked', userId, limit);

export const deleteExpiredSessions = (db: Db): Promise<string[]> => end(db, expired, 'expired');

const ofBots = `user_id in (select id from users where kind = 'bot')`;

export async function countAllSessions(db: Db, bots: boolean): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from sessions where (${ofBots}) = $1`,
    [bots],
  );
  return counted?.count ?? 0;
}

/** Writes no revocations, because there can be very many sessions. */
export async function deleteAllSessions(db: Db, bots: boolean): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    `with gone as (delete from sessions where (${ofBots}) = $1 returning 1)
     select count(*)::int as count from gone`,
    [bots],
  );
  return counted?.count ?? 0;
}
