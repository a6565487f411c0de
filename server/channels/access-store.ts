import type { FoundChannel } from '../../shared/channels.ts';
import { named, query, type Db } from '../database/database.ts';

const serversById = named(
  'select id, server_id as "serverId" from channels where id = any($1::uuid[])',
);

export async function findServersOfChannels(db: Db, ids: string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await query<{ id: string; serverId: string }>(db, serversById, [ids]);
  return new Map(rows.map(({ id, serverId }) => [id, serverId]));
}

const rulesAmong = named(
  `select id, private, announcements, slow_seconds as "slowSeconds", filtered,
     sender_role_ids as "senderRoleIds", caller_role_ids as "callerRoleIds",
     array(select user_id::text from channel_members
       where channel_id = channels.id and user_id = any($2::uuid[])) as "memberIds"
   from channels cross join lateral (
     select exists (select from word_filters where word_filters.server_id = channels.server_id) as filtered
   ) as words
   where id = any($1::uuid[]) and (private or announcements or slow_seconds > 0 or filtered
     or caller_role_ids is not null)`,
);

export interface FoundRules {
  id: string;
  private: boolean;
  announcements: boolean;
  slowSeconds: number;
  /** The server has a word filter. */
  filtered: boolean;
  senderRoleIds: string[] | null;
  callerRoleIds: string[] | null;
  memberIds: string[];
}

/** Finds the channels with rules of their own. */
export const findRulesAmong = (
  db: Db,
  channelIds: string[],
  userIds: string[],
): Promise<FoundRules[]> => query(db, rulesAmong, [channelIds, userIds]);

export interface Granted {
  send: boolean;
  call: boolean;
  /** True if the role opens a private channel. */
  opens: boolean;
  /** True if it opens one that `userId` is not in. */
  opensMore: boolean;
}

/** Returns the permissions of a role in any channel of the server, and whether it opens private channels. */
export async function findGranted(
  db: Db,
  serverId: string,
  { roleId, userId }: { roleId: string; userId: string },
): Promise<Granted> {
  const [row] = await query<Granted>(
    db,
    `select coalesce(bool_or($2 = any(sender_role_ids)), false) as send,
       coalesce(bool_or($2 = any(caller_role_ids)), false) as call,
       coalesce(bool_or($2 = any(viewer_role_ids)), false) as opens,
       coalesce(bool_or($2 = any(viewer_role_ids) and not exists (
         select from channel_members where channel_id = channels.id and user_id = $3)), false) as "opensMore"
     from channels where server_id = $1`,
    [serverId, roleId, userId],
  );
  return row ?? { send: false, call: false, opens: false, opensMore: false };
}

/** Counts the given roles that exist in the server. */
export async function countRoles(db: Db, serverId: string, roleIds: string[]): Promise<number> {
  const sql =
    'select count(*)::int as count from roles where server_id = $1 and id = any($2::uuid[])';
  const [row] = await query<{ count: number }>(db, sql, [serverId, roleIds]);
  return row?.count ?? 0;
}

export interface NamedChannel extends FoundChannel {
  foldedName: string;
}

export const findChannelsOf = (
  db: Db,
  userId: string,
  serverId: string | undefined,
): Promise<NamedChannel[]> =>
  query(
    db,
    `select channels.id, channels.server_id as "serverId", name, private, folded_name as "foldedName"
     from members
     join channels on channels.server_id = members.server_id
     where members.user_id = $1 and ($2::uuid is null or members.server_id = $2)
       and (not private or exists (
         select from channel_members as inside
         where inside.channel_id = channels.id and inside.user_id = $1))`,
    [userId, serverId ?? null],
  );

export async function findPrivateMembers(db: Db, channelId: string): Promise<string[]> {
  const rows = await query<{ id: string }>(
    db,
    'select user_id as id from channel_members where channel_id = $1',
    [channelId],
  );
  return rows.map(({ id }) => id);
}

export async function countPrivateMemberships(db: Db, serverId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    db,
    'select count(*)::int as count from channel_members where server_id = $1',
    [serverId],
  );
  return row?.count ?? 0;
}
