import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import { named, query, type Db } from '../database/database.ts';
import { personBytes } from '../people/people.ts';
import type { PartFields, Quotable, RowQuery } from './part.ts';
import { completed, partColumns } from './message-parts.ts';

/** Reserved for the rest of an answer, which in a `sync` includes all rooms without changes. */
const envelopeBytes = 32_768;

/** A row also has the columns of message-parts.ts, by their fields. */
export interface MessageRow {
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

export const messageColumns = `messages.id, timeline_id as "timelineId", author_id as "authorId", position,
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
    // A node of an older version deletes messages without the fields that it does not know.
    ...(deletedAt === null && fieldsIn(row as unknown as PartFields)),
  };
}

export const fieldsIn = (fields: PartFields): PartFields =>
  Object.fromEntries(
    partColumns.flatMap(({ field }) => {
      const value = fields[field] ?? undefined;
      return value === undefined ? [] : [[field, value]];
    }),
  );

export const findMessage = async (db: Db, id: string): Promise<Message | undefined> =>
  (await findMessages(db, [id])).get(id);

const messagesById = named(`select ${messageColumns} from messages where id = any($1::uuid[])`);

export async function findMessages(db: Db, ids: string[]): Promise<Map<string, Message>> {
  const rows = await query<MessageRow>(db, messagesById, [ids]);
  return new Map((await toMessages(db, rows)).map((message) => [message.id, message]));
}

export const toMessages = (db: Db, rows: MessageRow[]): Promise<Message[]> =>
  completed(rows.map(toMessage), (ids) => findQuotable(db, ids));

const quotableById = named(
  `select id, timeline_id as "timelineId", author_id as "authorId", position, version,
     left(body, 2 * $2) as body, deleted_at as "deletedAt", kind
   from messages where id = any($1::uuid[])`,
);

export async function findQuotable(db: Db, ids: string[]): Promise<Map<string, Quotable>> {
  const rows = await query<
    Omit<Quotable, 'deletedAt' | 'kind'> & { deletedAt: Date | null; kind: Message['kind'] | null }
  >(db, quotableById, [ids, limits.excerpt]);
  return new Map(
    rows.map(({ deletedAt, kind, ...row }) => [
      row.id,
      {
        ...row,
        ...(deletedAt !== null && { deletedAt: deletedAt.toISOString() }),
        ...(kind !== null && { kind }),
      },
    ]),
  );
}

/** An upper bound of the bytes of a message and its mentioned people. In JSON, a character can take six bytes. */
const weight = `case when deleted_at is null then 300 else 420 end + octet_length(to_json(body)::text) + ${personBytes} *
  case when body like '%<@%' then
    (select count(distinct lower(mark[1])) from regexp_matches(body, '<@([0-9a-f-]{36})>', 'gi') as mark)
  else 0 end${partColumns
    .map(
      ({ column, moreBytes = 0 }) =>
        ` + coalesce(octet_length(${column}::text) + ${40 + moreBytes}, 0)`,
    )
    .join('')}`;

const firstOf = (column: string, order: string) => `
  case when ${column} is not null and row_number() over (partition by ${column} order by ${order}) = 1
    then ${personBytes} else 0 end`;

/**
 * Selects the first rows that fit an answer, at least one; `of` counts all. PostgreSQL adds up the bytes and sends no
 * other rows. `bytes` is an upper bound, so a row alone fits even if its bound is above the limit.
 */
const fitting = (rows: string, order: string) => `
  select ${messageColumns}, of from (
    select *, count(*) over () as of, sum(bytes) over (order by ${order}) as total,
      row_number() over (order by ${order}) as nth from (
      select *, ${weight} + ${firstOf('author_id', order)} + ${firstOf('deleted_by', order)} as bytes
      from (${rows}) as messages
    ) as messages
  ) as messages where total <= ${limits.answerBytes - envelopeBytes} or nth = 1 order by ${order}`;

export async function findFitting(
  db: Db,
  { rows, order }: RowQuery,
  values: unknown[],
): Promise<{ messages: Message[]; of: number }> {
  const found = await query<MessageRow & { of: number }>(db, fitting(rows, order), values);
  return { messages: await toMessages(db, found), of: found[0]?.of ?? 0 };
}

/**
 * Returns the position of the first message sent at this time or later; past the last if there is none. Times never go
 * back along a timeline and positions have no gap, so a binary search takes a few rows and needs no index on times.
 */
export async function findPositionAt(db: Db, timelineId: string, time: string): Promise<number> {
  const [found] = await query<{ position: number }>(
    db,
    `with recursive range (low, high) as (
       select 1::bigint, last_position + 1 from rooms where id = $1
       union all
       select case when created_at < $2 then middle + 1 else low end,
         case when created_at < $2 then high else middle end
       from range
       cross join lateral (select (low + high) / 2 as middle) as halved
       join messages on timeline_id = $1 and position = middle
       where low < high
     )
     select low as position from range order by high - low limit 1`,
    [timelineId, time],
  );
  return found?.position ?? 1;
}

const older = `(select * from messages where timeline_id = $1 and position < $2
  order by position desc limit $3)`;
const newer = `(select * from messages where timeline_id = $1 and position >= $2
  order by position limit $3)`;
const pageOf = (sides: string) => named(`${fitting(sides, 'abs(position - $2 + 0.25)')} limit $3`);
const pages = {
  older: pageOf(older),
  newer: pageOf(newer),
  around: pageOf(`${older} union all ${newer}`),
};

/** Where a page begins: just after, just before or around a position, or at the newest. */
export interface Start {
  before?: number | undefined;
  after?: number | undefined;
  around?: number | undefined;
}

/**
 * Returns a page in ascending order of position: the `limit` rows nearest to its start, or as many as fit an answer, at
 * least one. Around a position, half come before it; if one side has too few, the other fills the page.
 */
export async function findPage(
  db: Db,
  timelineId: string,
  { before, after, around, limit }: Start & { limit: number },
): Promise<Message[]> {
  const start = around ?? before ?? (after === undefined ? Number.MAX_SAFE_INTEGER : after + 1);
  const page =
    around !== undefined ? pages.around : after !== undefined ? pages.newer : pages.older;
  const rows = await query<MessageRow & { of: number }>(db, page, [timelineId, start, limit]);
  return (await toMessages(db, rows)).sort((a, b) => a.position - b.position);
}

const changedSince = named(
  fitting(
    'select * from messages where timeline_id = $1 and version > $2 order by version limit $3',
    'version',
  ),
);

/** Returns the messages that changed after a version, in order of version. Undefined if they do not fit an answer. */
export async function findChanged(
  db: Db,
  timelineId: string,
  since: number,
  limit: number,
): Promise<{ message: Message; isNew: boolean }[] | undefined> {
  const bind = [timelineId, since, limit + 1];
  const rows = await query<MessageRow & { of: number }>(db, changedSince, bind);
  const [{ of } = { of: 0 }] = rows;
  if (of > limit || rows.length < of) return undefined;
  const isNew = new Set(rows.filter(({ touched }) => !touched).map(({ id }) => id));
  return (await toMessages(db, rows)).map((message) => ({
    message,
    isNew: isNew.has(message.id),
  }));
}
