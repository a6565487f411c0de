import { answerableUnless } from './access.ts';
import type { Grantable } from '../../shared/permissions.ts';
import type { TaskCount } from '../../shared/tasks.ts';
import { named, query, type Db } from '../database/database.ts';

/** An SQL condition: a custom role of the member, in the server $1, grants the permission. */
const granted = (permission: Grantable) =>
  `role_ids && array(
     select id from roles where roles.server_id = $1 and '${permission}' = any(roles.permissions))`;
/** SQL conditions: the member of the server $1 has the permission, by their role or a custom one. */
const answersReports = `(role <> 'member' or ${granted('manage messages')})`;
const answersRequests = `(role <> 'member' or ${granted('manage members')})`;
/** False for bots, which receive no numbers. */
const isPerson = `exists (select from users where users.id = members.user_id and kind <> 'bot')`;

/** The condition of the index `members_listed`, so that not all members are read. */
const isListed = `(role <> 'member' or role_ids is not null)`;

const countsOf = named(
  `select server_id as "serverId", open_reports as reports, open_requests as requests,
     reports_version as version
   from members where user_id = $1 and (open_reports > 0 or open_requests > 0) order by server_id`,
);

/** The numbers as last published in the person’s own room. */
export const findCounts = (db: Db, userId: string): Promise<TaskCount[]> =>
  query(db, countsOf, [userId]);

export interface WhichCounts {
  /** Limits the result to these members. Default: all members who can answer tasks. */
  userIds?: string[];
  messageId?: string;
}

type Counted = Pick<TaskCount, 'reports' | 'requests'> & { userId: string };

/**
 * The numbers that differ from those last published. With `messageId`, also the numbers of members who can answer this
 * report, if it is open.
 */
export const findCountsToPublish = (
  db: Db,
  serverId: string,
  { userIds, messageId }: WhichCounts,
): Promise<Counted[]> =>
  query(
    db,
    // Reads the reports and counts the requests once, because a thousand members can answer them.
    `with reports as materialized (
       select reports.*, bot_owner_id from reports join users on users.id = author_id
       where server_id = $1 and closed_at is null
     ), waiting as materialized (
       select count(*)::int as requests from join_requests where server_id = $1
     )
     select user_id as "userId", counted.reports, counted.requests from members cross join lateral (
       select count(*)::int as reports, coalesce(bool_or(message_id = $3), false) as touched,
         (select case when ${answersRequests} and ${isPerson} then waiting.requests else 0 end from waiting) as requests
       from reports
       where ${answersReports} and ${isPerson}
         and ${answerableUnless('bot_owner_id is not distinct from members.user_id')}
     ) as counted
     where server_id = $1 and case when $2::uuid[] is null then ${isListed} else user_id = any($2) end
       and (counted.reports <> open_reports or counted.requests <> open_requests or touched)
     order by user_id`,
    [serverId, userIds ?? null, messageId ?? null],
  );

const published = named(
  `select user_id as "userId" from members
   where server_id = $1 and user_id = any($2::uuid[]) and (open_reports > 0 or open_requests > 0)`,
);

/** The members among `userIds` with numbers in their room. */
export async function findPublished(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const found = await query<{ userId: string }>(db, published, [serverId, userIds]);
  return found.map(({ userId }) => userId);
}

/** Members who can answer tasks, and those whose published numbers may have to be removed. */
export async function findAnswererIds(db: Db, serverId: string): Promise<string[]> {
  const found = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from members
     where server_id = $1 and ${isListed}
       and (open_reports > 0 or open_requests > 0
         or ((${answersReports} or ${answersRequests}) and ${isPerson}))
     order by user_id`,
    [serverId],
  );
  return found.map(({ userId }) => userId);
}

export async function updateCounts(
  db: Db,
  serverId: string,
  counts: (Counted & { version: number })[],
): Promise<void> {
  await query(
    db,
    `update members set open_reports = counted.reports, open_requests = counted.requests,
       reports_version = counted.version
     from jsonb_to_recordset($2::jsonb)
       as counted ("userId" uuid, reports int, requests int, version bigint)
     where members.server_id = $1 and members.user_id = counted."userId"`,
    [serverId, JSON.stringify(counts)],
  );
}
