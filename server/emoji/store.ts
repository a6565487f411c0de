import type { CustomEmoji } from '../../shared/emoji.ts';
import { named, query, type Db } from '../database/database.ts';

type EmojiRow = Omit<CustomEmoji, 'createdAt'> & { createdAt: Date };

const toEmoji = ({ createdAt, ...row }: EmojiRow): CustomEmoji => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

const columns = 'id, server_id as "serverId", name, created_at as "createdAt", version';

const emojiOf = named(`select ${columns} from emoji where server_id = $1 order by created_at, id`);

export async function findEmoji(db: Db, serverId: string): Promise<CustomEmoji[]> {
  const rows = await query<EmojiRow>(db, emojiOf, [serverId]);
  return rows.map(toEmoji);
}

export async function insertEmoji(
  db: Db,
  {
    id,
    serverId,
    name,
    version,
    createdBy,
  }: Omit<CustomEmoji, 'createdAt'> & { createdBy: string },
): Promise<CustomEmoji> {
  const [row] = await query<EmojiRow>(
    db,
    `insert into emoji (id, server_id, name, version, created_by) values ($1, $2, $3, $4, $5)
     returning ${columns}`,
    [id, serverId, name, version, createdBy],
  );
  if (row === undefined) throw new Error('an emoji was not stored');
  return toEmoji(row);
}

export async function deleteEmoji(db: Db, id: string): Promise<void> {
  await query(db, 'delete from emoji where id = $1', [id]);
}

export const findNamedEmoji = (
  db: Db,
  named: readonly { timelineId: string; name: string }[],
): Promise<{ timelineId: string; name: string }[]> =>
  query(
    db,
    `select channels.id as "timelineId", emoji.name
     from unnest($1::uuid[], $2::text[]) as wanted (timeline_id, name)
     join channels on channels.id = wanted.timeline_id
     join emoji on emoji.server_id = channels.server_id and emoji.name = wanted.name`,
    [named.map(({ timelineId }) => timelineId), named.map(({ name }) => name)],
  );
