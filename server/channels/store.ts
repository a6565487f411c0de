import type { Channel } from '../../shared/channels.ts';
import { query, within, type Db } from '../database/database.ts';
import { channels, type ChannelRow } from './model.ts';

const toChannel = ({ createdAt, ...row }: ChannelRow): Channel => ({
  ...row,
  createdAt: createdAt.toISOString(),
});

export async function findChannel(db: Db, id: string): Promise<Channel | undefined> {
  const row = await channels(db).findByPk(id, within(db));
  return row === null ? undefined : toChannel(row.get());
}

/** In the order that people see. */
export async function findChannels(db: Db, serverId: string): Promise<Channel[]> {
  const rows = await channels(db).findAll({
    where: { serverId },
    order: ['position', 'id'],
    ...within(db),
  });
  return rows.map((row) => toChannel(row.get()));
}

/** The server of each of these channels that exists. */
export async function findServers(db: Db, ids: string[]): Promise<Map<string, string>> {
  const rows = await query<{ id: string; serverId: string }>(
    db,
    'select id, server_id as "serverId" from channels where id = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, serverId }) => [id, serverId]));
}

export async function insertChannel(db: Db, channel: Omit<Channel, 'createdAt'>): Promise<Channel> {
  const row = await channels(db).create(channel, within(db));
  return toChannel(row.get());
}

export async function updateChannel(
  db: Db,
  id: string,
  to: Pick<Channel, 'name' | 'topic' | 'version'>,
): Promise<Channel> {
  const [, [row]] = await channels(db).update(to, {
    where: { id },
    returning: true,
    ...within(db),
  });
  if (row === undefined) throw new Error('a channel is gone while its server is locked');
  return toChannel(row.get());
}

/** The channel and its timeline, which takes its messages along. */
export async function deleteChannel(db: Db, id: string): Promise<void> {
  await channels(db).destroy({ where: { id }, ...within(db) });
  await query(db, 'delete from rooms where id = $1', [id]);
}
