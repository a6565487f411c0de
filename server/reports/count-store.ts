import type { ReportCount } from '../../shared/reports.ts';
import { named, query, type Db } from '../database/database.ts';

const answerableUnless = (isOfOwnBot: string) =>
  `reports.server_id = members.server_id and reports.author_id <> members.user_id and not ${isOfOwnBot}
   and (not reports.owner_only or members.role = 'owner')
   and (not reports.staff_only or members.role <> 'member')`;

/**
 * An SQL condition: the member in `members` can answer the report in `reports`. False for their own messages, those of
 * their bots, and if only higher roles can answer it (`owner_only`, `staff_only`).
 */
export const answerable = answerableUnless(
  `exists (select from users as authors
     where authors.id = reports.author_id and authors.bot_owner_id = members.user_id)`,
);

/** An SQL condition: the member of the server $1 can answer reports, by their role or a custom one. False for bots. */
const answersReports = `(role <> 'member' or role_ids && array(
    select id from roles where roles.server_id = $1 and 'manage messages' = any(roles.permissions)))
  and exists (select from users where users.id = members.user_id and kind <> 'bot')`;

/** The condition of the index `members_listed`, so that not all members are read. */
const isListed = `(role <> 'member' or role_ids is not null)`;

const countsOf = named(
  `select server_id as "serverId", open_reports as open, reports_version as version from members
   where user_id = $1 and open_reports > 0 order by server_id`,
);

/** The counts as last published in the person’s own room. */
export const findCounts = (db: Db, userId: string): Promise<ReportCount[]> =>
  query(db, countsOf, [userId]);

export interface WhichCounts {
  /** Only of these members. Default: of all who can answer reports. */
  userIds?: string[];
  messageId?: string;
}

/**
 * The counts that differ from those last published. With `messageId`, also the counts of members who can answer this
 * report, if it is open.
 */
export const findCountsToPublish = (
  db: Db,
  serverId: string,
  { userIds, messageId }: WhichCounts,
): Promise<{ userId: string; open: number }[]> =>
  query(
    db,
    // Reads the reports once, because a server can have a thousand members who answer them.
    `with reports as materialized (
       select reports.*, bot_owner_id from reports join users on users.id = author_id
       where server_id = $1 and closed_at is null
     )
     select user_id as "userId", open from members cross join lateral (
       select count(*)::int as open, coalesce(bool_or(message_id = $3), false) as touched from reports
       where ${answersReports} and ${answerableUnless('bot_owner_id is not distinct from members.user_id')}
     ) as counted
     where server_id = $1 and case when $2::uuid[] is null then ${isListed} else user_id = any($2) end
       and (open <> open_reports or touched) order by user_id`,
    [serverId, userIds ?? null, messageId ?? null],
  );

const published = named(
  `select user_id as "userId" from members
   where server_id = $1 and user_id = any($2::uuid[]) and open_reports > 0`,
);

/** The members among `userIds` with a count in their room. */
export async function findPublished(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const found = await query<{ userId: string }>(db, published, [serverId, userIds]);
  return found.map(({ userId }) => userId);
}

/** Members who can answer reports, and those whose published number may have to be removed. */
export async function findAnswererIds(db: Db, serverId: string): Promise<string[]> {
  const found = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from members
     where server_id = $1 and ${isListed} and (open_reports > 0 or ${answersReports})
     order by user_id`,
    [serverId],
  );
  return found.map(({ userId }) => userId);
}

export async function updateCounts(
  db: Db,
  serverId: string,
  counts: { userId: string; open: number; version: number }[],
): Promise<void> {
  await query(
    db,
    `update members set open_reports = counted.open, reports_version = counted.version
     from jsonb_to_recordset($2::jsonb) as counted ("userId" uuid, open int, version bigint)
     where members.server_id = $1 and members.user_id = counted."userId"`,
    [serverId, JSON.stringify(counts)],
  );
}
