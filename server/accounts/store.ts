import { Op } from 'sequelize';
import type { Account, Session } from '../../shared/accounts.ts';
import type { Bot } from '../../shared/bots.ts';
import { named, query, within, type Db } from '../database/database.ts';
import { sessions, users, type SessionRow, type UserRow } from './model.ts';
import type { Ending } from './sessions.ts';

const toAccount = ({ id, displayName: name, username, kind, rev, ownerId }: UserRow): Account => ({
  ...{ id, name, username, kind, rev },
  ...(ownerId !== null && { ownerId }),
});
const columns = `users.id, users.kind, users.username, users.display_name as "displayName", users.rev,
  users.bot_owner_id as "ownerId"`;

const withOwners = named(
  `select ${columns} from users where id = any($1::uuid[])
   union select ${columns} from users
   where id in (select bot_owner_id from users where id = any($1::uuid[]))`,
);

/** Those of these accounts that exist, and the owners of those that are bots, in no order. */
export const findAccountsAndOwners = async (db: Db, ids: string[]): Promise<Account[]> =>
  (await query<UserRow>(db, withOwners, [ids])).map(toAccount);

export async function findAccount(db: Db, id: string): Promise<Account | undefined> {
  const row = await users(db).findByPk(id, within(db));
  return row === null ? undefined : toAccount(row.get());
}

/** Until the transaction ends. */
export async function lockAccount(db: Db, id: string): Promise<void> {
  await query(db, 'select 1 from users where id = $1 for no key update', [id]);
}

/** An account, and what its password is compared with: null for those who have none. */
export interface Credentials {
  user: Account;
  passwordHash: string | null;
  isSuspended?: boolean;
}

/** Looks an account up by its username, which is folded already, or by its id. */
export async function findCredentials(
  db: Db,
  where: { username: string } | { id: string },
): Promise<Credentials | undefined> {
  const row = (await users(db).findOne({ where, ...within(db) }))?.get();
  if (row === undefined) return undefined;
  const { passwordHash, suspendedAt } = row;
  return { user: toAccount(row), passwordHash, isSuspended: suspendedAt !== null };
}

/** Which of these usernames are somebody's. */
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
};

/** Stores a new account; undefined if somebody has the username. */
export async function insertAccount(db: Db, account: NewAccount): Promise<Account | undefined> {
  const { id, kind, username, displayName, passwordHash, ownerId = null } = account;
  const [row] = await query<UserRow>(
    db,
    `insert into users (id, kind, username, display_name, password_hash, bot_owner_id)
     values ($1, $2, $3, $4, $5, $6) on conflict (username) do nothing returning ${columns}`,
    [id, kind, username, displayName, passwordHash, ownerId],
  );
  return row && toAccount(row);
}

/**
 * Makes a guest a registered user. Undefined if they are no guest any more, or the username is taken; taken
 * at this very moment is a unique violation, after which `commit` looks again.
 */
export async function registerGuest(
  db: Db,
  id: string,
  to: { username: string; passwordHash: string; displayName: string | undefined },
): Promise<Account | undefined> {
  const [row] = await query<UserRow>(
    db,
    `update users set kind = 'registered', username = $2, password_hash = $3,
       display_name = coalesce($4, display_name), rev = rev + 1
     where id = $1 and kind = 'guest' and not exists (select 1 from users where username = $2)
     returning ${columns}`,
    [id, to.username, to.passwordHash, to.displayName ?? null],
  );
  return row && toAccount(row);
}

/** Undefined if that is their name already. */
export async function renameAccount(
  db: Db,
  id: string,
  name: string,
): Promise<Account | undefined> {
  const [row] = await query<UserRow>(
    db,
    `update users set display_name = $2, rev = rev + 1
     where id = $1 and display_name <> $2 returning ${columns}`,
    [id, name],
  );
  return row && toAccount(row);
}

/** Replaces a password’s hash; false if it is no longer the one that was compared. */
export async function replacePassword(
  db: Db,
  userId: string,
  from: string,
  to: string,
): Promise<boolean> {
  const [count] = await users(db).update(
    { passwordHash: to },
    { where: { id: userId, passwordHash: from }, ...within(db) },
  );
  return count === 1;
}

// A session ends when it has not been used for a month, and half a year after it began whatever its use.
const expiry = (since: string) =>
  `least(now() + interval '30 days', ${since} + interval '180 days')`;
/** A token has no end. */
const prolonged = `case when expires_at = 'infinity' then expires_at else ${expiry('created_at')} end`;
const live = 'sessions.expires_at > now()';

/**
 * Stores a new session. False if the account's password is no longer the one that was compared, or it was
 * suspended: a sign-in that was overtaken must not outlive that. The share lock makes one wait for the other.
 */
export async function insertSession(
  db: Db,
  session: Pick<SessionRow, 'id' | 'tokenHash' | 'userId' | 'data' | 'device'>,
  passwordHash: string | null,
): Promise<boolean> {
  const { id, tokenHash, userId, data, device } = session;
  const inserted = await query(
    db,
    `with owner as (
       select id from users
       where id = $3 and password_hash is not distinct from $6 and suspended_at is null for share
     )
     insert into sessions (id, token_hash, user_id, data, device, expires_at)
     select $1, $2, owner.id, $4::jsonb, $5, ${expiry('now()')} from owner returning id`,
    [id, tokenHash, userId, JSON.stringify(data), device, passwordHash],
  );
  return inserted.length === 1;
}

export async function insertToken(
  db: Db,
  { id, tokenHash, userId, data }: Pick<SessionRow, 'id' | 'tokenHash' | 'userId' | 'data'>,
): Promise<void> {
  await query(
    db,
    `insert into sessions (id, token_hash, user_id, data, device, expires_at)
     values ($1, $2, $3, $4::jsonb, 'token', 'infinity')`,
    [id, tokenHash, userId, JSON.stringify(data)],
  );
}

/** Whose token this is the hash of, and what it allows. Nobody's while the bot's owner is suspended. Notes that it is in use, at most once a minute. */
export async function useToken(
  db: Db,
  tokenHash: string,
): Promise<{ user: Account; sessionId: string } | undefined> {
  const [row] = await query<UserRow & { sessionId: string; scopes: Bot['scopes'] }>(
    db,
    `with seen as (
       update sessions set last_seen_at = now()
       where token_hash = $1 and last_seen_at < now() - interval '1 minute'
     )
     select ${columns}, sessions.id as "sessionId", sessions.data->'scopes' as scopes
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
     update sessions set last_seen_at = now(), expires_at = ${prolonged}
     where token_hash = $1 and ${live} and last_seen_at < now() - interval '1 minute'
   )
   select ${columns}, sessions.id as "sessionId"
   from sessions join users on users.id = sessions.user_id
   where token_hash = $1 and ${live} and suspended_at is null`,
);

/** Whose live session the cookie names that this is the hash of. Notes its use, at most once a minute. */
export async function useSession(
  db: Db,
  tokenHash: string,
): Promise<{ user: Account; sessionId: string } | undefined> {
  const [row] = await query<UserRow & { sessionId: string }>(db, sessionByHash, [tokenHash]);
  return row && { user: toAccount(row), sessionId: row.sessionId };
}

const liveById = named(
  `select 1 from sessions join users on users.id = sessions.user_id
   left join users as owners on owners.id = users.bot_owner_id
   where sessions.id = $1 and ${live} and users.suspended_at is null and owners.suspended_at is null`,
);

/** Whether a session, or a token, has not ended. */
export const isLive = async (db: Db, id: string): Promise<boolean> =>
  (await query(db, liveById, [id])).length > 0;

/** A person's live sessions, the latest seen first. */
export async function findSessions(db: Db, userId: string): Promise<Omit<Session, 'current'>[]> {
  const rows = await sessions(db).findAll({
    where: { userId, expiresAt: { [Op.gt]: new Date() } },
    order: [['lastSeenAt', 'DESC']],
    ...within(db),
  });
  return rows
    .map((row) => row.get())
    .map(({ id, device, createdAt, lastSeenAt }) => ({
      id,
      device,
      createdAt: createdAt.toISOString(),
      lastSeenAt: lastSeenAt.toISOString(),
    }));
}

/** Which of these sessions have not ended. They are in use, which is noted every few minutes. */
export async function useLiveSessions(db: Db, ids: string[]): Promise<Set<string>> {
  const rows = await query<{ id: string }>(
    db,
    `with seen as (
       update sessions set last_seen_at = now(), expires_at = ${prolonged}
       where id = any($1::uuid[]) and ${live} and last_seen_at < now() - interval '5 minutes'
     )
     select id from sessions where id = any($1::uuid[]) and ${live}`,
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Ends the session that a cookie names: whoever had it signs in again. */
export async function deleteSessionOfToken(db: Db, tokenHash: string): Promise<void> {
  await ended(db, 'renewed', 'token_hash = $2', [tokenHash]);
}

/** Ends one session of this person; false if they have no such session. */
export const deleteSession = async (db: Db, userId: string, id: string): Promise<boolean> =>
  (await ended(db, 'revoked', 'id = $2 and user_id = $3', [id, userId])).length === 1;

/** Ends all sessions of a person but one, and says which. */
export const deleteOtherSessions = (db: Db, userId: string, kept: string): Promise<string[]> =>
  ended(db, 'revoked', 'user_id = $2 and id <> $3', [userId, kept]);

/** Ends all sessions of a person, or tokens of a bot, and says which. */
export const deleteSessionsOf = (db: Db, userId: string, why: Ending): Promise<string[]> =>
  ended(db, why, 'user_id = $2', [userId]);

/** Ends those that a person has too many, the longest unused first, and says which. */
export const deleteSurplusSessions = (db: Db, userId: string, most: number): Promise<string[]> =>
  ended(
    db,
    'revoked',
    `id in (select id from sessions where user_id = $2
            order by last_seen_at desc, created_at desc offset $3)`,
    [userId, most],
  );

/** Ends all whose time is over, and says which. */
export const deleteExpiredSessions = (db: Db): Promise<string[]> =>
  ended(db, 'expired', 'expires_at <= now()', []);

const ofBots = `user_id in (select id from users where kind = 'bot')`;

export async function countAllSessions(db: Db, bots: boolean): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    `select count(*)::int as count from sessions where (${ofBots}) = $1`,
    [bots],
  );
  return counted?.count ?? 0;
}

/** Leaves no word of each: there may be very many. */
export async function deleteAllSessions(db: Db, bots: boolean): Promise<number> {
  const [counted] = await query<{ count: number }>(
    db,
    `with gone as (delete from sessions where (${ofBots}) = $1 returning 1)
     select count(*)::int as count from gone`,
    [bots],
  );
  return counted?.count ?? 0;
}

/** Ends those, and leaves word of it for the nodes that hear of it in no other way. */
async function ended(db: Db, why: Ending, condition: string, bind: unknown[]): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `with gone as (delete from sessions where ${condition} returning id, user_id),
     away as (
       update users set away_since = now() from gone where users.id = gone.user_id and kind = 'guest'
     )
     insert into revocations (session_id, closing) select id, $1 from gone
     returning session_id as id`,
    [why, ...bind],
  );
  return rows.map(({ id }) => id);
}

/** Guests whose last session ended so many days ago, the longest away first. */
export async function findAwayGuests(db: Db, days: number, most: number): Promise<Account[]> {
  const rows = await query<UserRow>(
    db,
    `select ${columns} from users
     where kind = 'guest' and ended_at is null and away_since < now() - $1 * interval '1 day'
       and not exists (select 1 from sessions where user_id = users.id)
     order by away_since limit $2`,
    [days, most],
  );
  return rows.map(toAccount);
}

/** Notes that a guest is in nothing any more. */
export async function noteGuestEnded(db: Db, id: string): Promise<void> {
  await query(db, 'update users set ended_at = now() where id = $1', [id]);
}

/** Another hour, so that one who cannot be ended holds up no others. */
export async function postponeGuest(db: Db, id: string, days: number): Promise<void> {
  const sql = `update users set away_since = now() - $2 * interval '1 day' + interval '1 hour' where id = $1`;
  await query(db, sql, [id, days]);
}
