import type { Channel, PrivateChannel, PublicChannel } from '../../shared/channels.ts';
import { fold } from '../people/folding.ts';
import { named, query, within, type Db } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { channels, type ChannelRow } from './model.ts';
import { deletePrivateMembers } from './private-store.ts';

type Row = Omit<ChannelRow, 'foldedName'> & { memberIds: string[] };

const toChannel = ({
  createdAt,
  memberIds,
  announcements,
  slowSeconds,
  senderRoleIds,
  callerRoleIds,
  viewerRoleIds,
  ...row
}: Row): Channel => {
  const channel = {
    ...row,
    ...(announcements && { announcements }),
    ...(slowSeconds > 0 && { slowSeconds }),
    ...(senderRoleIds && { senderRoleIds }),
    ...(callerRoleIds && { callerRoleIds }),
    createdAt: createdAt.toISOString(),
  };
  if (!row.private) return { ...channel, private: false };
  return { ...channel, private: true, memberIds, ...(viewerRoleIds && { viewerRoleIds }) };
};

/**
 * Selects channels in display order. A private one has the version that the own room of `$1` last published. Members
 * come as JSON, which parses many times faster than a PostgreSQL array.
 */
const select = (where: string, order = 'position, id') => `
  select channels.id, channels.server_id as "serverId", name, topic,
    category_id as "categoryId", position, private, announcements, slow_seconds as "slowSeconds",
    sender_role_ids as "senderRoleIds", caller_role_ids as "callerRoleIds",
    viewer_role_ids as "viewerRoleIds", created_at as "createdAt",
    coalesce(mine.user_version, version) as version,
    to_json(array(select user_id from channel_members
                  where channel_id = channels.id order by user_id)) as "memberIds"
  from channels
  left join channel_members as mine on mine.channel_id = channels.id and mine.user_id = $1
  where ${where} order by ${order}`;

const selectPage = (where: string) =>
  named(select(`${where} and ($3::uuid is null or channels.id > $3)`, 'id limit $4'));
const publicChannels = selectPage('channels.server_id = $2 and not private');
const privateChannels = selectPage('mine.user_id = $2');

export async function findChannel(
  db: Db,
  id: string,
  userId: string | null = null,
): Promise<Channel | undefined> {
  const [row] = await query<Row>(db, select('channels.id = $2'), [userId, id]);
  return row && toChannel(row);
}

export async function findPrivateChannelsById(db: Db, ids: string[]): Promise<PrivateChannel[]> {
  if (ids.length === 0) return [];
  const rows = await query<Row>(db, select('channels.id = any($2::uuid[])'), [null, ids]);
  return rows.map(toChannel).filter((channel) => channel.private);
}

export async function findChannels(
  db: Db,
  serverId: string,
  userId: string | null = null,
): Promise<Channel[]> {
  const rows = await query<Row>(db, select('channels.server_id = $2'), [userId, serverId]);
  return rows.map(toChannel);
}

export async function findPublicChannels(
  db: Db,
  serverId: string,
  { after, limit }: Page = {},
): Promise<PublicChannel[]> {
  const rows = await query<Row>(db, publicChannels, [null, serverId, after ?? null, limit ?? null]);
  return rows.map(toChannel).filter((channel) => !channel.private);
}

export async function findPrivateChannels(
  db: Db,
  userId: string,
  { after, limit }: Page,
): Promise<PrivateChannel[]> {
  const rows = await query<Row>(db, privateChannels, [
    userId,
    userId,
    after ?? null,
    limit ?? null,
  ]);
  return rows.map(toChannel).filter((channel) => channel.private);
}

/** Returns a channel that must exist and must have this privacy. */
export async function storedChannel<P extends boolean>(
  db: Db,
  id: string,
  isPrivate: P,
): Promise<Extract<Channel, { private: P }>> {
  const channel = await findChannel(db, id);
  if (channel?.private !== isPrivate)
    throw new Error('a channel is missing, or has another privacy, although its server is locked');
  return channel as Extract<Channel, { private: P }>;
}

export async function insertChannel(
  db: Db,
  channel: Omit<ChannelRow, 'createdAt' | 'foldedName' | `${string}RoleIds`>,
): Promise<void> {
  await channels(db).create({ ...channel, foldedName: fold(channel.name) }, within(db));
}

export async function updateChannel(
  db: Db,
  id: string,
  to: Partial<Omit<ChannelRow, 'id' | 'serverId' | 'createdAt' | 'foldedName'>>,
): Promise<void> {
  const found = to.name === undefined ? {} : { foldedName: fold(to.name) };
  await channels(db).update({ ...to, ...found }, { where: { id }, ...within(db) });
}

/** Keeps the version of a private channel, because each member has their own, in `channel_members`. */
export async function updatePlaces(db: Db, placed: Channel[]): Promise<void> {
  if (placed.length === 0) return;
  await query(
    db,
    `update channels set category_id = now.category_id, position = now.position,
       version = coalesce(now.version, channels.version)
     from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::bigint[])
       as now (id, category_id, position, version)
     where channels.id = now.id`,
    [
      placed.map(({ id }) => id),
      placed.map(({ categoryId }) => categoryId),
      placed.map(({ position }) => position),
      placed.map((channel) => (channel.private ? null : channel.version)),
    ],
  );
}

/** Deletes the channel and its timeline. Its messages are deleted later. */
export async function deleteChannel(db: Db, id: string): Promise<void> {
  await deletePrivateMembers(db, id);
  await channels(db).destroy({ where: { id }, ...within(db) });
  await query(db, 'delete from rooms where id = $1', [id]);
}

/** Returns each person who was in a private channel, with the ids of those channels. */
export const deleteMemberships = (
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<{ userId: string; channelIds: string[] }[]> =>
  query(
    db,
    `with gone as (
       delete from channel_members where server_id = $1 and user_id = any($2::uuid[])
       returning channel_id, user_id)
     select user_id as "userId", json_agg(channel_id) as "channelIds" from gone group by user_id`,
    [serverId, userIds],
  );

export const findInsideMany = (
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<{ channelId: string; userId: string }[]> =>
  query(
    db,
    `select channel_id as "channelId", user_id as "userId" from channel_members
     where server_id = $1 and user_id = any($2::uuid[])`,
    [serverId, userIds],
  );

/** Everyone who shares a private channel of this server with one of these people. */
export async function findPrivateMembersBeside(
  db: Db,
  serverId: string,
  userIds: string[],
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select distinct theirs.user_id as id
     from channel_members as mine join channel_members as theirs using (channel_id)
     where mine.server_id = $1 and mine.user_id = any($2::uuid[])`,
    [serverId, userIds],
  );
  return rows.map(({ id }) => id);
}

/** The members of all private channels of a server, or of the given ones. */
export async function findAllPrivateMembers(
  db: Db,
  serverId: string,
  channelIds?: string[],
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `select distinct user_id as id from channel_members
     where server_id = $1 and ($2::uuid[] is null or channel_id = any($2))`,
    [serverId, channelIds ?? null],
  );
  return rows.map(({ id }) => id);
}
