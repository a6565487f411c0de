/** The members of private channels who are there because of a custom role. */
import { query, type Db } from '../database/database.ts';

export interface Inside {
  channelId: string;
  userId: string;
}

/**
 * Inserts these people as members of the given private channels that their roles open. Returns the new members.
 * `setRoomVersions` must write the versions of their own rooms later.
 */
export const insertViewers = (db: Db, channelIds: string[], userIds: string[]): Promise<Inside[]> =>
  query(
    db,
    `insert into channel_members (channel_id, server_id, user_id, user_version, by_role)
     select channels.id, channels.server_id, members.user_id, 0, true
     from channels join members
       on members.server_id = channels.server_id and members.user_id = any($2::uuid[])
         and members.role_ids && channels.viewer_role_ids
     where channels.id = any($1::uuid[]) and private
     on conflict do nothing
     returning channel_id as "channelId", user_id as "userId"`,
    [channelIds, userIds],
  );

/** Deletes and returns the members of these channels, or one of them, who lost the role that opened the channel. */
export const deleteFormerViewers = (
  db: Db,
  channelIds: string[],
  userId?: string,
): Promise<Inside[]> =>
  query(
    db,
    `delete from channel_members as inside using channels, members
     where inside.channel_id = any($1::uuid[]) and inside.user_id = coalesce($2, inside.user_id)
       and by_role and channels.id = inside.channel_id
       and members.server_id = inside.server_id and members.user_id = inside.user_id
       and (members.role_ids && channels.viewer_role_ids) is not true
     returning inside.channel_id as "channelId", inside.user_id as "userId"`,
    [channelIds, userId ?? null],
  );

/** Keeps these people as members even without a role, in one channel or in all of the server. */
export async function keepWithoutRole(
  db: Db,
  { serverId, channelId = null }: { serverId: string; channelId?: string | null },
  userIds: string[],
): Promise<void> {
  await query(
    db,
    `update channel_members set by_role = false
     where server_id = $1 and channel_id = coalesce($2, channel_id) and user_id = any($3::uuid[])
       and by_role`,
    [serverId, channelId, userIds],
  );
}

export interface OpenedChannel {
  id: string;
  members: number;
}

/** The private channels that a role opens. */
export const findOpened = (db: Db, serverId: string, roleId: string): Promise<OpenedChannel[]> =>
  query(
    db,
    `select id, (select count(*)::int from channel_members where channel_id = id) as members
     from channels where server_id = $1 and $2 = any(viewer_role_ids)`,
    [serverId, roleId],
  );

/** Removes a role from all channels that it opens. Returns their ids. */
export async function takeFromChannels(
  db: Db,
  serverId: string,
  roleId: string,
): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    `update channels set viewer_role_ids = nullif(array_remove(viewer_role_ids, $2), '{}')
     where server_id = $1 and $2 = any(viewer_role_ids) returning id`,
    [serverId, roleId],
  );
  return rows.map(({ id }) => id);
}
