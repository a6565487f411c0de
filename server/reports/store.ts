import type { Report, ReportKind, ReportOutcome } from '../../shared/reports.ts';
import { quotas } from '../../shared/quotas.ts';
import { named, query, type Db } from '../database/database.ts';
import { answerable } from '../tasks/access.ts';

export interface StoredReport {
  body: string;
  laterBody: string | null;
  outcome: ReportOutcome | null;
  /** The person has reported it since it was opened. */
  isMine: boolean;
}

/** Locks an existing row, so that the report is not closed or reopened before the reason is added. */
export async function findReport(
  db: Db,
  messageId: string,
  userId: string,
): Promise<StoredReport | undefined> {
  const [found] = await query<StoredReport>(
    db,
    `select body, later_body as "laterBody", outcome, exists (
       select from report_reasons
       where report_reasons.message_id = reports.message_id and user_id = $2) as "isMine"
     from reports where message_id = $1 for update`,
    [messageId, userId],
  );
  return found;
}

/** The open reports in a server: all, those that a guest opened, and those with a reason by this person. */
export async function countOpen(
  db: Db,
  serverId: string,
  userId: string,
): Promise<{ all: number; guests: number; mine: number }> {
  const [found] = await query<{ all: number; guests: number; mine: number }>(
    db,
    `select count(*)::int as all, count(*) filter (where by_guest)::int as guests,
       count(*) filter (where exists (
         select from report_reasons
         where report_reasons.message_id = reports.message_id and user_id = $2))::int as mine
     from reports where server_id = $1 and closed_at is null`,
    [serverId, userId],
  );
  return found ?? { all: 0, guests: 0, mine: 0 };
}

export interface NewReport {
  messageId: string;
  serverId: string;
  channelId: string;
  position: number;
  authorId: string;
  body: string;
  files: number;
  ownerOnly: boolean;
  /** Only for moderators and the owner, because a custom role lets the author answer reports or manage members. */
  staffOnly: boolean;
  byGuest: boolean;
}

/** Opens or reopens the report, and stores the current text. */
export async function openReport(db: Db, report: NewReport): Promise<void> {
  const { messageId, serverId, channelId, position, authorId, body, files } = report;
  const bind = [messageId, serverId, channelId, position, authorId, body, files];
  await query(
    db,
    `insert into reports (message_id, server_id, channel_id, position, author_id, body, files,
       owner_only, by_guest, staff_only)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (message_id) do update set body = excluded.body, later_body = null,
       files = excluded.files, owner_only = excluded.owner_only, by_guest = excluded.by_guest,
       staff_only = excluded.staff_only,
       created_at = excluded.created_at, closed_at = null, closed_by = null, outcome = null`,
    [...bind, report.ownerOnly, report.byGuest, report.staffOnly],
  );
}

export async function setLaterBody(db: Db, messageId: string, body: string): Promise<void> {
  await query(db, 'update reports set later_body = $2 where message_id = $1', [messageId, body]);
}

export async function deleteReasons(db: Db, messageId: string): Promise<void> {
  await query(db, 'delete from report_reasons where message_id = $1', [messageId]);
}

export async function insertReason(
  db: Db,
  messageId: string,
  { userId, kind, note }: { userId: string; kind: ReportKind; note: string | null },
): Promise<void> {
  await query(
    db,
    'insert into report_reasons (message_id, user_id, kind, note) values ($1, $2, $3, $4)',
    [messageId, userId, kind, note],
  );
}

type Row = Omit<Report, 'createdAt' | 'isDeleted' | 'laterBody' | 'closed'> & {
  createdAt: Date;
  laterBody: string | null;
  isDeleted: boolean;
  closedAt: Date | null;
  closedBy: string | null;
  outcome: ReportOutcome | null;
};

const toReport = ({
  createdAt,
  isDeleted,
  laterBody,
  closedAt,
  closedBy,
  outcome,
  ...row
}: Row): Report => ({
  ...row,
  createdAt: createdAt.toISOString(),
  ...(isDeleted && { isDeleted }),
  ...(laterBody !== null && { laterBody }),
  ...(closedAt !== null &&
    outcome !== null && { closed: { by: closedBy, at: closedAt.toISOString(), outcome } }),
});

const maxReasons = 10;

const time = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A page of the reports that this member can answer: open ones oldest first, or closed ones, the last closed first. */
export async function findReports(
  db: Db,
  { serverId, userId }: { serverId: string; userId: string },
  { closed, after, limit }: { closed: boolean; after: string | undefined; limit: number },
): Promise<Report[]> {
  const [is, at, follows, order] = closed
    ? ['is not null', 'closed_at', '<', 'desc']
    : (['is null', 'created_at', '>', 'asc'] as const);
  const rows = await query<Row>(
    db,
    `select reports.message_id as "messageId", channel_id as "channelId",
       reports.position, author_id as "authorId", reports.body, later_body as "laterBody", files,
       not exists (select from messages where id = reports.message_id and deleted_at is null) as "isDeleted",
       (select coalesce(jsonb_agg(jsonb_build_object(
           'userId', user_id, 'kind', kind, 'note', note, 'at', ${time}) order by at desc, user_id), '[]')
         from (select * from report_reasons where report_reasons.message_id = reports.message_id
               order by at desc, user_id limit ${maxReasons}) as latest) as reasons,
       (select count(*)::int from report_reasons
         where report_reasons.message_id = reports.message_id) as count,
       created_at as "createdAt", closed_at as "closedAt", closed_by as "closedBy", outcome
     from members join reports on ${answerable}
     where members.server_id = $1 and members.user_id = $2 and closed_at ${is}
       and ($3::uuid is null or (${at}, message_id) ${follows}
         (select ${at}, message_id from reports where message_id = $3 and ${answerable}))
     order by ${at} ${order}, reports.message_id ${order} limit $4`,
    [serverId, userId, after ?? null, limit],
  );
  return rows.map(toReport);
}

/** Closes the open ones among these that the member can answer. Returns them with their authors. */
export const closeReports = (
  db: Db,
  { serverId, userId }: { serverId: string; userId: string },
  messageIds: string[],
  outcome: ReportOutcome,
): Promise<{ messageId: string; authorId: string }[]> =>
  query(
    db,
    `update reports set closed_at = clock_timestamp(), closed_by = $2, outcome = $4
     from members where members.server_id = $1 and members.user_id = $2 and ${answerable}
       and message_id = any($3::uuid[]) and closed_at is null
     returning message_id as "messageId", author_id as "authorId"`,
    [serverId, userId, messageIds, outcome],
  );

const openBy = named(
  `select 1 as one from report_reasons join reports using (message_id)
   where report_reasons.user_id = any($2::uuid[]) and server_id = $1 and closed_at is null
     and not owner_only and not staff_only limit 1`,
);

/**
 * True if one of these people has an open report. Does not count reports that only moderators or the owner can answer,
 * because the author may be able to remove the person who made the report.
 */
export const hasOpenBy = async (db: Db, serverId: string, userIds: string[]): Promise<boolean> =>
  (await query(db, openBy, [serverId, userIds])).length > 0;

/** Deletes these people’s reasons from the reports of `hasOpenBy`, and then the reports without a reason. */
export async function deleteOpenBy(db: Db, serverId: string, userIds: string[]): Promise<void> {
  const isOpen = 'server_id = $1 and closed_at is null and not owner_only and not staff_only';
  await query(
    db,
    `delete from report_reasons using reports
     where report_reasons.message_id = reports.message_id and ${isOpen}
       and report_reasons.user_id = any($2::uuid[])`,
    [serverId, userIds],
  );
  await query(
    db,
    `delete from reports where ${isOpen} and not exists (
       select from report_reasons where report_reasons.message_id = reports.message_id)`,
    [serverId],
  );
}

/** If this member is the owner: deletes the open reports of their and their bots’ messages, which no one could answer. */
export async function deleteAboutOwner(db: Db, serverId: string, userId: string): Promise<void> {
  await query(
    db,
    `delete from reports where server_id = $1 and closed_at is null and owner_only and author_id in (
         select id from users where id = $2 or bot_owner_id = $2)
       and exists (select from members where server_id = $1 and user_id = $2 and role = 'owner')`,
    [serverId, userId],
  );
}

export async function deleteClosed(db: Db, limit: number): Promise<void> {
  await query(
    db,
    `delete from reports where message_id in (
       select message_id from reports
       where closed_at < now() - interval '${quotas.closedReportDays} days' order by closed_at limit $1
       for update skip locked)`,
    [limit],
  );
}
