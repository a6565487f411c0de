import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import { query, within, type Db } from '../database/database.ts';
import { personBytes } from '../accounts/people.ts';
import { messages, type MessageRow } from './model.ts';

/** For what stands around the rows of an answer; in a `sync`, all the rooms of which it brings nothing. */
const envelopeBytes = 32_768;

const toMessage = ({ createdAt, editedAt, deletedAt, deletedBy, ...row }: MessageRow): Message => ({
  ...row,
  createdAt: createdAt.toISOString(),
  ...(editedAt === null ? {} : { editedAt: editedAt.toISOString() }),
  ...(deletedAt === null ? {} : { deletedAt: deletedAt.toISOString() }),
  ...(deletedBy === null ? {} : { deletedBy }),
});

export async function findMessage(db: Db, id: string): Promise<Message | undefined> {
  const row = await messages(db).findByPk(id, within(db));
  return row === null ? undefined : toMessage(row.get());
}

const columns = `messages.id, timeline_id as "timelineId", author_id as "authorId", position,
  messages.version, messages.body, created_at as "createdAt", edited_at as "editedAt", deleted_at as "deletedAt",
  messages.deleted_by as "deletedBy"`;

/** Those of these that are stored, by id. */
export async function findMessages(db: Db, ids: string[]): Promise<Map<string, Message>> {
  const rows = await query<MessageRow>(
    db,
    `select ${columns} from messages where id = any($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, toMessage(row)]));
}

export type NewMessage = Pick<
  Message,
  'id' | 'timelineId' | 'authorId' | 'position' | 'version' | 'body'
> & {
  /** The last position before this batch: the time is never before that message's. */
  after: number;
};

/** Stores messages whose places are held by locks. The time is the server's, after the lock. */
export async function insertMessages(db: Db, added: NewMessage[]): Promise<Message[]> {
  if (added.length === 0) return [];
  const rows = await query<Pick<MessageRow, 'id' | 'createdAt'>>(
    db,
    `insert into messages (id, timeline_id, author_id, position, version, body, created_at)
     select id, timeline_id, author_id, position, version, body, greatest(
       (select clock_timestamp()),
       (select created_at from messages as last
        where last.timeline_id = added.timeline_id and last.position = added.after))
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[])
       as added (id, timeline_id, author_id, position, version, body, after)
     returning id, created_at as "createdAt"`,
    [
      added.map(({ id }) => id),
      added.map(({ timelineId }) => timelineId),
      added.map(({ authorId }) => authorId),
      added.map(({ position }) => position),
      added.map(({ version }) => version),
      added.map(({ body }) => body),
      added.map(({ after }) => after),
    ],
  );
  const times = new Map(rows.map(({ id, createdAt }) => [id, createdAt.toISOString()]));
  return added.map(({ after: _, ...message }) => {
    return { ...message, createdAt: times.get(message.id) ?? '' };
  });
}

/** A new body, or null: a tombstone, which keeps id, place and times. */
export interface Rewrite {
  id: string;
  version: number;
  body: string | null;
  /** Who deletes another's. */
  deletedBy: string | null;
}

export async function rewriteMessages(db: Db, rewrites: Rewrite[]): Promise<Message[]> {
  if (rewrites.length === 0) return [];
  const rows = await query<MessageRow>(
    db,
    `update messages set version = now.version, body = coalesce(now.body, ''),
       edited_at = case when now.body is null then edited_at else clock_timestamp() end,
       deleted_at = case when now.body is null then clock_timestamp() end,
       deleted_by = now.deleted_by
     from unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[])
       as now (id, version, body, deleted_by)
     where messages.id = now.id
     returning ${columns}`,
    [
      rewrites.map(({ id }) => id),
      rewrites.map(({ version }) => version),
      rewrites.map(({ body }) => body),
      rewrites.map(({ deletedBy }) => deletedBy),
    ],
  );
  return rows.map(toMessage);
}

/**
 * No fewer bytes than a message takes in an answer, with everyone whom it mentions. A body counts as JSON, where
 * a character may take six; whom it mentions twice counts once.
 */
const weight = `case when deleted_at is null then 300 else 420 end + octet_length(to_json(body)::text) + ${personBytes} *
  (select count(distinct lower(mark[1])) from regexp_matches(body, '<@([0-9a-f-]{36})>', 'gi') as mark)`;

/** Whoever stands in this column comes with the first row that names them. */
const firstOf = (column: string, order: string) => `
  case when ${column} is not null and row_number() over (partition by ${column} order by ${order}) = 1
    then ${personBytes} else 0 end`;

/**
 * Those of these rows, from the first in this order, that fit an answer together; `of` is how many there were.
 * PostgreSQL does the counting, so that what does not fit is not read at all.
 */
const fitting = (rows: string, order: string) => `
  select ${columns}, of from (
    select *, count(*) over () as of, sum(bytes) over (order by ${order}) as total from (
      select *, ${weight} + ${firstOf('author_id', order)} + ${firstOf('deleted_by', order)} as bytes
      from (${rows}) as messages
    ) as messages
  ) as messages where total <= ${limits.answerBytes - envelopeBytes} order by ${order}`;

/** Where a page begins: just after, just before or around a position, or at the newest. */
export interface Start {
  before?: number | undefined;
  after?: number | undefined;
  around?: number | undefined;
}

/**
 * A page in ascending order of position: the `limit` rows nearest to where it starts, or as many of them as
 * fit an answer, which is at least one. Around a position it is half before and the rest from there on; what
 * one side lacks the other gives.
 */
export async function findPage(
  db: Db,
  timelineId: string,
  { before, after, around, limit }: Start & { limit: number },
): Promise<Message[]> {
  const start = around ?? before ?? (after === undefined ? Number.MAX_SAFE_INTEGER : after + 1);
  const older = `(select * from messages where timeline_id = $1 and position < $2
    order by position desc limit $3)`;
  const newer = `(select * from messages where timeline_id = $1 and position >= $2
    order by position limit $3)`;
  const sides = around !== undefined ? [older, newer] : after !== undefined ? [newer] : [older];
  const rows = await query<MessageRow & { of: number }>(
    db,
    `${fitting(sides.join(' union all '), 'abs(position - $2 + 0.25)')} limit $3`,
    [timelineId, start, limit],
  );
  return rows.map(({ of: _, ...row }) => toMessage(row)).sort((a, b) => a.position - b.position);
}

/** What changed after a version, in that order: each message as it is now. Nothing if that is too many for an answer. */
export async function findChanged(
  db: Db,
  timelineId: string,
  since: number,
  most: number,
): Promise<Message[] | undefined> {
  const changed = `select * from messages where timeline_id = $1 and version > $2
    order by version limit $3`;
  const rows = await query<MessageRow & { of: number }>(db, fitting(changed, 'version'), [
    timelineId,
    since,
    most + 1,
  ]);
  const [{ of } = { of: 0 }] = rows;
  if (of > most || rows.length < of) return undefined;
  return rows.map(({ of: _, ...row }) => toMessage(row));
}

/** A timeline that has ended, and up to where its messages are deleted. */
export interface Ended {
  id: string;
  swept: number;
  lastPosition: number;
}

/** Positions of a timeline. */
export interface VersionRange {
  timelineId: string;
  after: number;
  upTo: number;
}

/** The one that ended first. */
export async function findEnded(db: Db): Promise<Ended | undefined> {
  const [ended] = await query<Ended>(
    db,
    `select id, swept, last_position as "lastPosition" from ended_timelines order by at, id limit 1`,
  );
  return ended;
}

/** Deletes messages of a timeline that has ended, and notes how far. */
export async function deleteMessages(
  db: Db,
  { timelineId, after, upTo }: VersionRange,
): Promise<void> {
  await query(
    db,
    `with deleted as (
       delete from messages where timeline_id = $1 and position > $2 and position <= $3
     )
     update ended_timelines set swept = $3 where id = $1`,
    [timelineId, after, upTo],
  );
}

export async function forgetEnded(db: Db, id: string): Promise<void> {
  await query(db, 'delete from ended_timelines where id = $1', [id]);
}
