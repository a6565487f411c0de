/** The members with custom roles. */
import type { Member } from '../../shared/members.ts';
import { named, query, type Db } from '../database/database.ts';
import { columns, toMember, type Row } from './store.ts';

const holders = named(
  `select user_id as "userId" from members
   where server_id = $1 and role_ids is not null and role_ids && $2::uuid[] order by user_id`,
);

/** The ids of the members with one of these roles. */
export const findHolders = async (db: Db, serverId: string, roleIds: string[]): Promise<string[]> =>
  (await query<{ userId: string }>(db, holders, [serverId, roleIds])).map(({ userId }) => userId);

export async function countWithRoles(db: Db, serverId: string): Promise<number> {
  const sql = `select count(*)::int as count from members
    where server_id = $1 and role_ids is not null`;
  const [row] = await query<{ count: number }>(db, sql, [serverId]);
  return row?.count ?? 0;
}

/** Takes a role from these members. Returns them in the order of `versions`. */
export async function takeRole(
  db: Db,
  { serverId, roleId }: { serverId: string; roleId: string },
  versions: Map<string, number>,
): Promise<Member[]> {
  const rows = await query<Row>(
    db,
    `update members set role_ids = nullif(array_remove(role_ids, $2), '{}'), version = changed.at
     from unnest($3::uuid[], $4::bigint[]) as changed (id, at)
     where server_id = $1 and user_id = changed.id returning ${columns}`,
    [serverId, roleId, [...versions.keys()], [...versions.values()]],
  );
  return rows.map(toMember).sort((a, b) => a.version - b.version);
}
