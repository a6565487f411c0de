import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import { query, type Db } from '../database/database.ts';
import { personBytes } from '../accounts/people.ts';
import type { PartFields, PositionRange, Quotable, Rows } from './part.ts';
import { completed, partColumns } from './parts.ts';

/** For what stands around the rows of an answer; in a `sync`, all the rooms of which it brings nothing. */
const envelopeBytes = 32_768;

/** With the columns of parts.ts, by their fields. */
interface MessageRow {
  id: string;
  timelineId: string;
  authorId: string;
  position: number;
  version: number;
  body: string;
  createdAt: Date;
  editedAt: Date | null;
  deletedAt: Date | null;
  deletedBy: string | null;
  touched: boolean;
}

const columns = `messages.id, timeline_id as "timelineId", author_id as "authorId", position,
  messages.version, messages.body, created_at as "createdAt", edited_at as "editedAt", deleted_at as "deletedAt",
  messages.deleted_by as "deletedBy", touched or edited_at is not null as touched${partColumns
    .map(({ column, field }) => `, messages.${column} as "${field}"`)
    .join('')}`;

function toMessage(row: MessageRow): Message {
  const { id, timelineId, authorId, position, version, body } = row;
  const { createdAt, editedAt, deletedAt, deletedBy } = row;
  return {
    ...{ id, timelineId, authorId, position, version, body },
    createdAt: createdAt.toISOString(),
    ...(editedAt === null ? {} : { editedAt: editedAt.toISOString() }),
    ...(deletedAt === null ? {} : { deletedAt: deletedAt.toISOString() }),
    ...(deletedBy === null ? {} : { deletedBy }),
    ...fieldsIn(row as unknown as PartFields),
  };
}

/** Those that are there. */
const fieldsIn = (fields: PartFields): PartFields =>
  Object.fromEntries(
    partColumns.flatMap(({ field }) => {
      const value = fields[field] ?? undefined;
      return value === undefined ? [] : [[field, value]];
    }),
  );

export const findMessage = async (db: Db, id: string): Promise<Message | undefined> =>
  (await findMessages(db, [id])).get(id);

/** Those of these that are stored, by id. */
export async function findMessages(db: Db, ids: string[]): Promise<Map<string, Message>> {
  const rows = await query<MessageRow>(
    db,
    `select ${columns} from messages where id = any($1::uuid[])`,
    [ids],
  );
  return new Map((await toMessages(db, rows)).map((message) => [message.id, message]));
}

/** What a row says of other messages is read with it. */
const toMessages = (db: Db, rows: MessageRow[]): Promise<Message[]> =>
  completed(rows.map(toMessage), (ids) => findQuotable(db, ids));

async function findQuotable(db: Db, ids: string[]): Promise<Map<string, Quotable>> {
  const rows = await query<Omit<Quotable, 'deletedAt'> & { deletedAt: Date | null }>(
    db,
    `select id, timeline_id as "timelineId", author_id as "authorId", position, version,
       left(body, 2 * $2) as body, deleted_at as "deletedAt"
     from messages where id = any($1::uuid[])`,
    [ids, limits.excerpt],
  );
  return new Map(
    rows.map(({ deletedAt, ...row }) => [
      row.id,
      { ...row, ...(deletedAt !== null && { deletedAt: deletedAt.toISOString() }) },
    ]),
  );
}

export type NewMessage = Pick<
  Message,
  'id' | 'timelineId' | 'authorId' | 'position' | 'version' | 'body'
> & {
  /** The last position before this batch: the time is never before that message's. */
  after: number;
  fields?: PartFields;
};

/** The parts of rows that are written: the names of their columns, and where their values stand from `$first` on. */
const partsFrom = (first: number) => ({
  names: partColumns.map(({ column }) => `, ${column}`).join(''),
  parameters: partColumns.map(({ type }, i) => `, $${first + i}::${type}[]`).join(''),
  assignments: partColumns.map(({ column }) => `, ${column} = now.${column}`).join(''),
});

/** Their values, by column. */
const partValues = (rows: { fields?: PartFields }[]): unknown[][] =>
  partColumns.map(({ field, type, keep }) =>
    rows.map(({ fields }) => {
      const value = fields?.[field];
      if (value === undefined) return null;
      const kept = keep?.(value) ?? value;
      return type === 'jsonb' ? JSON.stringify(kept) : kept;
    }),
  );

const inserted = partsFrom(8);

/** Stores messages whose places are held by locks. The time is the server's, after the lock. */
export async function insertMessages(db: Db, added: NewMessage[]): Promise<Message[]> {
  if (added.length === 0) return [];
  const rows = await query<Pick<MessageRow, 'id' | 'createdAt'>>(
    db,
    `insert into messages (id, timeline_id, author_id, position, version, body, created_at${inserted.names})
     select id, timeline_id, author_id, position, version, body, greatest(
       (select clock_timestamp()),
       (select created_at from messages as last
        where last.timeline_id = added.timeline_id and last.position = added.after))${inserted.names}
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[]${inserted.parameters})
       as added (id, timeline_id, author_id, position, version, body, after${inserted.names})
     returning id, created_at as "createdAt"`,
    [
      added.map(({ id }) => id),
      added.map(({ timelineId }) => timelineId),
      added.map(({ authorId }) => authorId),
      added.map(({ position }) => position),
      added.map(({ version }) => version),
      added.map(({ body }) => body),
      added.map(({ after }) => after),
      ...partValues(added),
    ],
  );
  const times = new Map(rows.map(({ id, createdAt }) => [id, createdAt.toISOString()]));
  const messages = added.map(
    ({ id, timelineId, authorId, position, version, body, fields = {} }): Message => ({
      ...{ id, timelineId, authorId, position, version, body },
      createdAt: times.get(id) ?? '',
      ...fieldsIn(fields),
    }),
  );
  return completed(messages, (ids) => findQuotable(db, ids));
}

/** What a message becomes. */
export interface Rewrite {
  id: string;
  version: number;
  /** Null: a tombstone, which keeps id, place and times. */
  body: string | null;
  isEdited: boolean;
  /** Who deletes another's. */
  deletedBy: string | null;
  /** All that features add to it. */
  fields: PartFields;
}

const rewritten = partsFrom(6);

export async function rewriteMessages(db: Db, rewrites: Rewrite[]): Promise<Message[]> {
  if (rewrites.length === 0) return [];
  const rows = await query<MessageRow>(
    db,
    `update messages set version = now.version, body = coalesce(now.body, ''), touched = true,
       edited_at = case when now.is_edited then clock_timestamp() else edited_at end,
       deleted_at = case when now.body is null then clock_timestamp() end,
       deleted_by = now.deleted_by${rewritten.assignments}
     from unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[], $5::boolean[]${rewritten.parameters})
       as now (id, version, body, deleted_by, is_edited${rewritten.names})
     where messages.id = now.id
     returning ${columns}`,
    [
      rewrites.map(({ id }) => id),
      rewrites.map(({ version }) => version),
      rewrites.map(({ body }) => body),
      rewrites.map(({ deletedBy }) => deletedBy),
      rewrites.map(({ isEdited }) => isEdited),
      ...partValues(rewrites),
    ],
  );
  return toMessages(db, rows);
}

/**
 * No fewer bytes than a message takes in an answer, with everyone whom it mentions. A body counts as JSON, where
 * a character may take six; whom it mentions twice counts once.
 */
const weight = `case when deleted_at is null then 300 else 420 end + octet_length(to_json(body)::text) + ${personBytes} *
  (select count(distinct lower(mark[1])) from regexp_matches(body, '<@([0-9a-f-]{36})>', 'gi') as mark)${partColumns
    .map(
      ({ column, moreBytes = 0 }) =>
        ` + coalesce(octet_length(${column}::text) + ${40 + moreBytes}, 0)`,
    )
    .join('')}`;

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

/** What a feature finds, as far as it fits an answer, and how many there were. */
export async function findFitting(
  db: Db,
  { rows, order }: Rows,
  values: unknown[],
): Promise<{ messages: Message[]; of: number }> {
  const found = await query<MessageRow & { of: number }>(db, fitting(rows, order), values);
  return { messages: await toMessages(db, found), of: found[0]?.of ?? 0 };
}

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
  return (await toMessages(db, rows)).sort((a, b) => a.position - b.position);
}

/** What changed after a version, in that order: each message as it is now. Nothing if that is too many for an answer. */
export async function findChanged(
  db: Db,
  timelineId: string,
  since: number,
  most: number,
): Promise<{ message: Message; isNew: boolean }[] | undefined> {
  const changed = `select * from messages where timeline_id = $1 and version > $2
    order by version limit $3`;
  const rows = await query<MessageRow & { of: number }>(db, fitting(changed, 'version'), [
    timelineId,
    since,
    most + 1,
  ]);
  const [{ of } = { of: 0 }] = rows;
  if (of > most || rows.length < of) return undefined;
  const isNew = new Set(rows.filter(({ touched }) => !touched).map(({ id }) => id));
  return (await toMessages(db, rows)).map((message) => ({
    message,
    isNew: isNew.has(message.id),
  }));
}

/** A timeline that has ended, and up to where its messages are deleted. */
export interface EndedTimeline {
  id: string;
  swept: number;
  lastPosition: number;
}

/** The one that ended first. */
export async function findEnded(db: Db): Promise<EndedTimeline | undefined> {
  const [ended] = await query<EndedTimeline>(
    db,
    `select id, swept, last_position as "lastPosition" from ended_timelines order by at, id limit 1`,
  );
  return ended;
}

/** Deletes messages of a timeline that has ended, and notes how far. */
export async function deleteMessages(
  db: Db,
  { timelineId, after, upTo }: PositionRange,
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
