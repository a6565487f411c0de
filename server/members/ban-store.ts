/** Bans. An expired one counts as none, although its row stays until the sweep. */
import type { Account } from '../../shared/accounts.ts';
import type { Ban } from '../../shared/members.ts';
import { named, query, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';

export interface Barred {
  serverId: string;
  userId: string;
}

/** The reason, and the duration in seconds. A ban without a duration is permanent. */
export interface BanTerms {
  reason?: string | undefined;
  seconds?: number | undefined;
}

interface BanRow {
  userId: string;
  bannedBy: string | null;
  createdAt: Date;
  reason: string | null;
  until: Date | null;
}

const columns = `user_id as "userId", banned_by as "bannedBy", created_at as "createdAt", reason, until`;
const holds = '(until is null or until > now())';

const toBan = ({ userId, bannedBy, createdAt, reason, until }: BanRow): Ban => {
  const end = until === null ? null : until.toISOString();
  return { userId, bannedBy, createdAt: createdAt.toISOString(), reason, until: end };
};

export async function findBan(db: Db, { serverId, userId }: Barred): Promise<Ban | undefined> {
  const where = `server_id = $1 and user_id = $2 and ${holds}`;
  const [row] = await query<BanRow>(db, `select ${columns} from bans where ${where}`, [
    serverId,
    userId,
  ]);
  return row === undefined ? undefined : toBan(row);
}

export type BanMatch = 'person' | 'device' | 'network';

const matches = named(
  `with mine as (select device, network from origins where user_id = $2)
   select
     exists (select from bans where server_id = $1 and user_id = $2 and ${holds}) as person,
     exists (select from bans join mine using (device) where server_id = $1 and ${holds}) as device,
     $3::boolean and exists (
       select from bans join mine using (network) where server_id = $1 and ${holds}) as network`,
);

/** See `banMatchOf` in access.ts. The network keeps out only guests, because unrelated people can share it. */
export async function findBanMatch(
  db: Db,
  serverId: string,
  { id, kind }: Pick<Account, 'id' | 'kind'>,
): Promise<BanMatch | undefined> {
  const [found] = await query<Record<BanMatch, boolean>>(db, matches, [
    serverId,
    id,
    kind === 'guest',
  ]);
  return (['person', 'device', 'network'] as const).find((match) => found?.[match]);
}

/** True when a person is banned, left within the last hour, or has a read position in a channel of the server. */
export async function wasIn(db: Db, serverId: string, userId: string): Promise<boolean> {
  const [found] = await query(
    db,
    `select 1 as one from bans where server_id = $1 and user_id = $2 and ${holds}
     union all select 1 from revocations where scope = $1 and user_id = $2
     union all select 1 from channels join reads on timeline_id = channels.id
       where server_id = $1 and user_id = $2 limit 1`,
    [serverId, userId],
  );
  return found !== undefined;
}

export async function findBans(db: Db, serverId: string, { after, limit }: Page): Promise<Ban[]> {
  const where = `server_id = $1 and ($2::uuid is null or user_id > $2) and ${holds}`;
  const rows = await query<BanRow>(
    db,
    `select ${columns} from bans where ${where} order by user_id limit $3`,
    [serverId, after ?? null, limit ?? null],
  );
  return rows.map(toBan);
}

export async function saveBan(
  db: Db,
  { serverId, userId, bannedBy }: Barred & { bannedBy: string },
  terms: BanTerms,
): Promise<Ban> {
  const [ban] = await saveBans(db, { serverId, userIds: [userId], bannedBy }, terms);
  if (ban === undefined) throw new Error('a ban was not stored');
  return ban;
}

/** Replaces expired bans whose rows still exist. A ban includes the origin of a new account. */
export async function saveBans(
  db: Db,
  { serverId, userIds, bannedBy }: { serverId: string; userIds: string[]; bannedBy: string },
  { reason, seconds }: BanTerms,
): Promise<Ban[]> {
  const rows = await query<BanRow>(
    db,
    `insert into bans (server_id, user_id, banned_by, reason, until, device, network)
     select $1, banned.id, $3, $4, now() + make_interval(secs => $5), device, network
     from unnest($2::uuid[]) as banned (id)
     left join origins on origins.user_id = banned.id
     on conflict (server_id, user_id) do update set banned_by = excluded.banned_by,
       created_at = excluded.created_at, reason = excluded.reason, until = excluded.until,
       device = excluded.device, network = excluded.network
     returning ${columns}`,
    [serverId, userIds, bannedBy, reason === '' ? null : (reason ?? null), seconds ?? null],
  );
  return rows.map(toBan);
}

export async function findBannedAmong(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const rows = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from bans
     where server_id = $1 and user_id = any($2::uuid[]) and ${holds}`,
    [serverId, userIds],
  );
  return rows.map(({ userId }) => userId);
}

export async function deleteBan(db: Db, { serverId, userId }: Barred): Promise<boolean> {
  const where = `server_id = $1 and user_id = $2 and ${holds}`;
  const gone = await query(db, `delete from bans where ${where} returning user_id`, [
    serverId,
    userId,
  ]);
  return gone.length > 0;
}

export const findEndedBans = (db: Db, limit: number): Promise<Barred[]> =>
  query(
    db,
    `select server_id as "serverId", user_id as "userId" from bans
     where until <= now() order by until limit $1`,
    [limit],
  );

/** Returns false if the ban is gone, or was replaced by a new one. */
export async function deleteEndedBan(db: Db, { serverId, userId }: Barred): Promise<boolean> {
  const gone = await query(
    db,
    `delete from bans where server_id = $1 and user_id = $2 and until <= now() returning user_id`,
    [serverId, userId],
  );
  return gone.length > 0;
}

export async function eraseOldNetworks(db: Db, days: number, limit: number): Promise<void> {
  await query(
    db,
    `update bans set network = null where (server_id, user_id) in (
       select server_id, user_id from bans
       where network is not null and created_at < now() - make_interval(days => $1)
       limit $2 for update skip locked)`,
    [days, limit],
  );
}
