import type { Role } from '../../shared/permissions.ts';
import { named, query, type Db } from '../database/database.ts';

export interface SharedServer {
  serverId: string;
  messageRequests: boolean;
}

/** Returns one shared server per person, if possible one without `messageRequests`. */
export const findShared = (
  db: Db,
  userId: string,
  otherIds: string[],
): Promise<(SharedServer & { userId: string })[]> =>
  query(
    db,
    `select distinct on (theirs.user_id) theirs.user_id as "userId", theirs.server_id as "serverId",
       message_requests as "messageRequests"
     from members as theirs join members as mine on mine.server_id = theirs.server_id
     join servers on servers.id = mine.server_id
     where mine.user_id = $1 and theirs.user_id = any($2::uuid[])
     order by theirs.user_id, message_requests, theirs.server_id`,
    [userId, otherIds],
  );

const accessVersionsOf = named(
  `select rooms.id as scope, access_version as version
   from members join rooms on rooms.id = members.server_id where user_id = $1`,
);

export const findAccessVersions = (
  db: Db,
  userId: string,
): Promise<{ scope: string; version: number }[]> => query(db, accessVersionsOf, [userId]);

const rolesOf = named(
  `select members.user_id as "userId", members.server_id as "serverId", role
   from members join unnest($1::uuid[], $2::uuid[]) as wanted (user_id, server_id)
     on members.user_id = wanted.user_id and members.server_id = wanted.server_id`,
);

export const findRoles = (
  db: Db,
  pairs: { userId: string; serverId: string }[],
): Promise<{ userId: string; serverId: string; role: Role }[]> =>
  query(db, rolesOf, [pairs.map(({ userId }) => userId), pairs.map(({ serverId }) => serverId)]);
