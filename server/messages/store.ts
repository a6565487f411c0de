import { Op, type WhereOptions } from 'sequelize';
import type { Message } from '../../shared/messages.ts';
import { query, within, type Db } from '../database/database.ts';
import { messages, type MessageRow } from './model.ts';

const toMessage = ({ createdAt, editedAt, deletedAt, ...row }: MessageRow): Message => ({
  ...row,
  createdAt: createdAt.toISOString(),
  ...(editedAt === null ? {} : { editedAt: editedAt.toISOString() }),
  ...(deletedAt === null ? {} : { deletedAt: deletedAt.toISOString() }),
});

export async function findMessage(db: Db, id: string): Promise<Message | undefined> {
  const row = await messages(db).findByPk(id, within(db));
  return row === null ? undefined : toMessage(row.get());
}

const columns = `messages.id, timeline_id as "timelineId", author_id as "authorId", position,
  messages.version, messages.body, created_at as "createdAt", edited_at as "editedAt", deleted_at as "deletedAt"`;

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
}

export async function rewriteMessages(db: Db, rewrites: Rewrite[]): Promise<Message[]> {
  if (rewrites.length === 0) return [];
  const rows = await query<MessageRow>(
    db,
    `update messages set version = now.version, body = coalesce(now.body, ''),
       edited_at = case when now.body is null then edited_at else clock_timestamp() end,
       deleted_at = case when now.body is null then clock_timestamp() end
     from unnest($1::uuid[], $2::bigint[], $3::text[]) as now (id, version, body)
     where messages.id = now.id
     returning ${columns}`,
    [
      rewrites.map(({ id }) => id),
      rewrites.map(({ version }) => version),
      rewrites.map(({ body }) => body),
    ],
  );
  return rows.map(toMessage);
}

/** A page in ascending order of position: the `limit` rows nearest to where it starts. */
export async function findPage(
  db: Db,
  timelineId: string,
  {
    before,
    after,
    limit,
  }: { before?: number | undefined; after?: number | undefined; limit: number },
): Promise<Message[]> {
  const where: WhereOptions<MessageRow> =
    after !== undefined
      ? { timelineId, position: { [Op.gt]: after } }
      : before !== undefined
        ? { timelineId, position: { [Op.lt]: before } }
        : { timelineId };
  const direction = after === undefined ? 'DESC' : 'ASC';
  const rows = await messages(db).findAll({
    where,
    order: [['position', direction]],
    limit,
    ...within(db),
  });
  const page = rows.map((row) => toMessage(row.get()));
  return after === undefined ? page.reverse() : page;
}

/** What changed after a version, in that order: each message as it is now. */
export async function findChanged(
  db: Db,
  timelineId: string,
  since: number,
  limit: number,
): Promise<Message[]> {
  const rows = await messages(db).findAll({
    where: { timelineId, version: { [Op.gt]: since } },
    order: [['version', 'ASC']],
    limit,
    ...within(db),
  });
  return rows.map((row) => toMessage(row.get()));
}
