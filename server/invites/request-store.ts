import type { JoinRequest, OwnJoinRequest } from '../../shared/join-requests.ts';
import { quotas } from '../../shared/quotas.ts';
import { named, query, type Db } from '../database/database.ts';

export interface NewRequest {
  serverId: string;
  userId: string;
  invitedBy: string | null;
  byGuest: boolean;
}

export async function insertRequest(db: Db, request: NewRequest): Promise<void> {
  const { serverId, userId, invitedBy, byGuest } = request;
  await query(
    db,
    `insert into join_requests (server_id, user_id, invited_by, by_guest) values ($1, $2, $3, $4)`,
    [serverId, userId, invitedBy, byGuest],
  );
}

/** Counts the server’s requests, its requests from guests, and this person’s requests in all servers. */
export async function countRequests(
  db: Db,
  serverId: string,
  userId: string,
): Promise<{ all: number; guests: number; mine: number }> {
  const [found] = await query<{ all: number; guests: number; mine: number }>(
    db,
    `select count(*)::int as all, count(*) filter (where by_guest)::int as guests,
       (select count(*)::int from join_requests where user_id = $2) as mine
     from join_requests where server_id = $1`,
    [serverId, userId],
  );
  return found ?? { all: 0, guests: 0, mine: 0 };
}

const requestOf = named(
  'select 1 as one from join_requests where server_id = $1 and user_id = $2 limit 1',
);

export const hasRequest = async (db: Db, serverId: string, userId: string): Promise<boolean> =>
  (await query(db, requestOf, [serverId, userId])).length > 0;

const changes = named(
  `select 1 as one from servers
   where id = $1 and (exists (select from join_requests where server_id = $1 and user_id = $2)
     or ($3 and approval and not exists (select from members where server_id = $1 and user_id = $2)))`,
);

/** True if joining, or asking to join, makes or ends a request of this person. */
export const changesRequests = async (
  db: Db,
  serverId: string,
  { userId, asks }: { userId: string; asks: boolean },
): Promise<boolean> => (await query(db, changes, [serverId, userId, asks])).length > 0;

export const findServersAsked = async (db: Db, userId: string): Promise<string[]> =>
  (
    await query<{ serverId: string }>(
      db,
      `select server_id as "serverId" from join_requests where user_id = $1 order by server_id`,
      [userId],
    )
  ).map(({ serverId }) => serverId);

export const findOwnRequests = async (db: Db, userId: string): Promise<OwnJoinRequest[]> => {
  const rows = await query<Omit<OwnJoinRequest, 'createdAt'> & { createdAt: Date }>(
    db,
    `select server_id as "serverId", servers.name as "serverName", join_requests.created_at as "createdAt"
     from join_requests join servers on servers.id = server_id
     where user_id = $1 order by join_requests.created_at, server_id`,
    [userId],
  );
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
};

export async function findRequests(db: Db, serverId: string): Promise<JoinRequest[]> {
  const rows = await query<Omit<JoinRequest, 'createdAt'> & { createdAt: Date }>(
    db,
    `select user_id as "userId", invited_by as "invitedBy", created_at as "createdAt"
     from join_requests where server_id = $1 order by created_at, user_id limit $2`,
    [serverId, quotas.joinRequests],
  );
  return rows.map((row) => ({ ...row, createdAt: row.createdAt.toISOString() }));
}

/** Returns the ids of the people whose requests were deleted. */
export async function deleteRequests(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const deleted = await query<{ userId: string }>(
    db,
    `delete from join_requests where server_id = $1 and user_id = any($2::uuid[])
     returning user_id as "userId"`,
    [serverId, userIds],
  );
  return deleted.map(({ userId }) => userId);
}
