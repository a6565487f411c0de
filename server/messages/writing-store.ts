/** Writes messages. The flush holds the locks of their timelines. */
import type { Message } from '../../shared/messages.ts';
import { named, query, type Db } from '../database/database.ts';
import type { LockedRoom } from '../database/locks.ts';
import type { Draft, PartFields } from './part.ts';
import { completed, partColumns } from './message-parts.ts';
import { fieldsIn, findQuotable, messageColumns, toMessages, type MessageRow } from './store.ts';

export type NewMessage = Draft & {
  version: number;
  /** The last position before this batch. The new time is never before that message's. */
  after: number;
};

/** SQL for the columns of features: names, parameters from `$first` on, and assignments. */
const partsFrom = (first: number) => ({
  names: partColumns.map(({ column }) => `, ${column}`).join(''),
  parameters: partColumns.map(({ type }, i) => `, $${first + i}::${type}[]`).join(''),
  assignments: partColumns.map(({ column }) => `, ${column} = now.${column}`).join(''),
});

const partValues = (rows: { fields?: PartFields }[]): unknown[][] =>
  partColumns.map(({ field, type, toStored }) =>
    rows.map(({ fields }) => {
      const value = fields?.[field];
      if (value === undefined) return null;
      const stored = toStored?.(value) ?? value;
      return type === 'jsonb' ? JSON.stringify(stored) : stored;
    }),
  );

const inserted = partsFrom(8);
const inserting = named(
  `insert into messages (id, timeline_id, author_id, position, version, body, created_at${inserted.names})
   select id, timeline_id, author_id, position, version, body, greatest(
     (select clock_timestamp()),
     (select created_at from messages as last
      where last.timeline_id = added.timeline_id and last.position = added.after))${inserted.names}
   from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::bigint[], $5::bigint[], $6::text[], $7::bigint[]${inserted.parameters})
     as added (id, timeline_id, author_id, position, version, body, after${inserted.names})
   returning id, created_at as "createdAt"`,
);

/** Takes the time from PostgreSQL after the lock, so that times follow the order of positions. */
async function insertMessages(db: Db, added: NewMessage[]): Promise<Message[]> {
  if (added.length === 0) return [];
  const rows = await query<Pick<MessageRow, 'id' | 'createdAt'>>(db, inserting, [
    added.map(({ id }) => id),
    added.map(({ timelineId }) => timelineId),
    added.map(({ authorId }) => authorId),
    added.map(({ position }) => position),
    added.map(({ version }) => version),
    added.map(({ body }) => body),
    added.map(({ after }) => after),
    ...partValues(added),
  ]);
  const times = new Map(rows.map(({ id, createdAt }) => [id, createdAt.toISOString()]));
  const messages = added.map(
    ({ id, timelineId, authorId, position, version, body, fields }): Message => ({
      ...{ id, timelineId, authorId, position, version, body },
      createdAt: times.get(id) ?? '',
      ...fieldsIn(fields),
    }),
  );
  return completed(messages, (ids) => findQuotable(db, ids));
}

export interface Rewrite {
  id: string;
  version: number;
  /** Null for a tombstone, which keeps id, position and times. */
  body: string | null;
  isEdited: boolean;
  /** The user who deletes another user's message. */
  deletedBy: string | null;
  fields: PartFields;
}

const rewritten = partsFrom(6);
const rewriting = named(
  `update messages set version = now.version, body = coalesce(now.body, ''), touched = true,
     edited_at = case when now.is_edited then clock_timestamp() else edited_at end,
     deleted_at = case when now.body is null then clock_timestamp() end,
     deleted_by = now.deleted_by${rewritten.assignments}
   from unnest($1::uuid[], $2::bigint[], $3::text[], $4::uuid[], $5::boolean[]${rewritten.parameters})
     as now (id, version, body, deleted_by, is_edited${rewritten.names})
   where messages.id = now.id
   returning ${messageColumns}`,
);

async function rewriteMessages(db: Db, rewrites: Rewrite[]): Promise<Message[]> {
  if (rewrites.length === 0) return [];
  const rows = await query<MessageRow>(db, rewriting, [
    rewrites.map(({ id }) => id),
    rewrites.map(({ version }) => version),
    rewrites.map(({ body }) => body),
    rewrites.map(({ deletedBy }) => deletedBy),
    rewrites.map(({ isEdited }) => isEdited),
    ...partValues(rewrites),
  ]);
  return toMessages(db, rows);
}

export async function storeMessages(
  db: Db,
  { added, rewrites }: { added: NewMessage[]; rewrites: Rewrite[] },
): Promise<Map<string, Message>> {
  // Rewrites go first, because a new message can quote a rewritten one.
  const [rewritten, inserted] = await Promise.all([
    rewriteMessages(db, rewrites),
    insertMessages(db, added),
  ]);
  return new Map([...rewritten, ...inserted].map((message) => [message.id, message]));
}

const movingRooms = named(
  `update rooms set version = moved.version, last_position = moved.position
   from unnest($1::uuid[], $2::bigint[], $3::bigint[]) as moved (id, version, position)
   where rooms.id = moved.id`,
);

export async function moveRooms(
  db: Db,
  before: ReadonlyMap<string, LockedRoom>,
  after: ReadonlyMap<string, LockedRoom>,
): Promise<void> {
  const moved = [...after].filter(([id, { version }]) => version !== before.get(id)?.version);
  if (moved.length === 0) return;
  await query(db, movingRooms, [
    moved.map(([id]) => id),
    moved.map(([, { version }]) => version),
    moved.map(([, { lastPosition }]) => lastPosition),
  ]);
}
