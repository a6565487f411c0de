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

/**
 * Stores a message at the end of its timeline, whose room is locked. The time is the server's at this
 * moment, and never before its predecessor's, whatever the clock did.
 */
export async function appendMessage(
  db: Db,
  message: Pick<Message, 'id' | 'timelineId' | 'authorId' | 'version' | 'body'>,
): Promise<Message> {
  const [row] = await query<MessageRow>(
    db,
    `with place as (
       update rooms set last_position = last_position + 1 where id = $2 returning last_position
     )
     insert into messages (id, timeline_id, author_id, position, version, body, created_at)
     select $1, $2, $3, last_position, $4, $5, greatest(clock_timestamp(),
       (select created_at from messages where timeline_id = $2 and position = last_position - 1))
     from place
     returning id, timeline_id as "timelineId", author_id as "authorId", position, version, body,
       created_at as "createdAt", edited_at as "editedAt", deleted_at as "deletedAt"`,
    [message.id, message.timelineId, message.authorId, message.version, message.body],
  );
  if (row === undefined) throw new Error('a message found no timeline');
  return toMessage(row);
}

/** A new body, or none: the tombstone keeps id, place and times. */
export async function rewriteMessage(
  db: Db,
  id: string,
  to: { version: number; body: string } | { version: number; deleted: true },
): Promise<Message> {
  const [, [row]] = await messages(db).update(
    'deleted' in to
      ? { version: to.version, body: '', deletedAt: new Date() }
      : { version: to.version, body: to.body, editedAt: new Date() },
    { where: { id }, returning: true, ...within(db) },
  );
  if (row === undefined) throw new Error('a message is gone while its timeline is locked');
  return toMessage(row.get());
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
