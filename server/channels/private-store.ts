/** The members of private channels. */
import type { Channel } from '../../shared/channels.ts';
import { query, type Db } from '../database/database.ts';

/** Inserts members. `setRoomVersions` must write the versions of their own rooms later. */
export async function insertPrivateMembers(
  db: Db,
  { id, serverId }: Pick<Channel, 'id' | 'serverId'>,
  userIds: string[],
): Promise<void> {
  await query(
    db,
    `insert into channel_members (channel_id, server_id, user_id, user_version)
     select $1, $2, unnest($3::uuid[]), 0`,
    [id, serverId, userIds],
  );
}

/** The version of a member's own room that published a private channel. */
export interface MemberVersion {
  channelId: string;
  userId: string;
  version: number;
}

/** One statement for all members of the largest server could exceed the statement timeout. */
const versionsPerStatement = 25_000;

export async function setRoomVersions(db: Db, memberVersions: MemberVersion[]): Promise<void> {
  for (let at = 0; at < memberVersions.length; at += versionsPerStatement) {
    const some = memberVersions.slice(at, at + versionsPerStatement);
    await query(
      db,
      `update channel_members set user_version = changed.version
       from unnest($1::uuid[], $2::uuid[], $3::bigint[]) as changed (channel_id, user_id, version)
       where channel_members.channel_id = changed.channel_id and channel_members.user_id = changed.user_id`,
      [
        some.map(({ channelId }) => channelId),
        some.map(({ userId }) => userId),
        some.map(({ version }) => version),
      ],
    );
  }
}

export async function deletePrivateMembers(
  db: Db,
  channelId: string,
  userId?: string,
): Promise<void> {
  await query(
    db,
    'delete from channel_members where channel_id = $1 and user_id = coalesce($2, user_id)',
    [channelId, userId ?? null],
  );
}
