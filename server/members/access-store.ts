import type { Standing } from '../../shared/permissions.ts';
import { named, query, type Db } from '../database/database.ts';

export interface SharedServer {
  serverId: string;
  messageRequests: boolean;
}

export interface Two {
  userId: string;
  otherId: string;
}

const sharedBy = named(
  `select distinct on (wanted.user_id, wanted.other_id) wanted.user_id as "userId",
     wanted.other_id as "otherId", mine.server_id as "serverId", message_requests as "messageRequests"
   from unnest($1::uuid[], $2::uuid[]) as wanted (user_id, other_id)
   join members as mine on mine.user_id = wanted.user_id
   join members as theirs on theirs.user_id = wanted.other_id and theirs.server_id = mine.server_id
   join servers on servers.id = mine.server_id
   where $3::uuid[] is null or mine.server_id = any($3)
   order by wanted.user_id, wanted.other_id, message_requests, mine.server_id`,
);

/** See `sharedServers` in access.ts. */
export const findShared = (
  db: Db,
  twos: Two[],
  serverIds?: string[],
): Promise<(SharedServer & Two)[]> =>
  query(db, sharedBy, [
    twos.map(({ userId }) => userId),
    twos.map(({ otherId }) => otherId),
    serverIds ?? null,
  ]);

const accessVersionsOf = named(
  `select rooms.id as scope, access_version as version
   from members join rooms on rooms.id = members.server_id where user_id = $1`,
);

export const findAccessVersions = (
  db: Db,
  userId: string,
): Promise<{ scope: string; version: number }[]> => query(db, accessVersionsOf, [userId]);

/** An SQL expression: the permissions that custom roles grant to the member in `members`. Costs nothing without roles. */
export const granted = `case when role_ids is null then '{}' else array(
  select distinct unnest(permissions) from roles
  where roles.server_id = members.server_id and roles.id = any(members.role_ids)) end`;

const standingsOf = named(
  `select members.user_id as "userId", members.server_id as "serverId",
     case when role <> 'owner' and until > now() then 'timed out' else role end as role,
     ${granted} as granted, coalesce(role_ids, '{}') as "roleIds"
   from members join unnest($1::uuid[], $2::uuid[]) as wanted (user_id, server_id)
     on members.user_id = wanted.user_id and members.server_id = wanted.server_id
   left join timeouts on timeouts.user_id = members.user_id
     and timeouts.server_id = members.server_id`,
);

export const findStandings = (
  db: Db,
  pairs: { userId: string; serverId: string }[],
): Promise<(Standing & { userId: string; serverId: string })[]> =>
  query(db, standingsOf, [
    pairs.map(({ userId }) => userId),
    pairs.map(({ serverId }) => serverId),
  ]);
