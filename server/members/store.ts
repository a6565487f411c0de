import type { Member } from '../../shared/members.ts';
import type { Grantable } from '../../shared/permissions.ts';
import { skeletonOf } from '../people/skeletons.ts';
import { named, query, within, type Db, type NamedValues } from '../database/database.ts';
import type { Page } from '../database/page.ts';
import { updateNicknames } from './nickname-search.ts';
import { granted } from './access-store.ts';
import { members, type MemberRow } from './model.ts';

export type Row = MemberRow & { timeoutUntil: Date | null };

export const toMember = ({
  userId,
  role,
  nickname,
  roleIds,
  joinedAt,
  timeoutUntil,
  version,
}: Row): Member => {
  return {
    ...{ userId, role, nickname, joinedAt: joinedAt.toISOString(), version },
    ...(roleIds && { roleIds }),
    ...(timeoutUntil && { timeoutUntil: timeoutUntil.toISOString() }),
    ...skeletonOf(nickname),
  };
};

export const columns = `user_id as "userId", role, nickname, role_ids as "roleIds", joined_at as "joinedAt", version,
  (select until from timeouts where timeouts.user_id = members.user_id
     and timeouts.server_id = members.server_id) as "timeoutUntil"`;

// The memberships of a deleted large server remain until its members are notified.
const one = `from members where server_id = $1 and user_id = $2
  and exists (select from servers where servers.id = server_id)`;
const oneMember = named(`select ${columns} ${one}`);
const oneWithGrants = named(`select ${columns}, ${granted} as granted ${one}`);

export async function findMember(
  db: Db,
  serverId: string,
  userId: string,
): Promise<Member | undefined> {
  const [row] = await query<Row>(db, oneMember, [serverId, userId]);
  return row && toMember(row);
}

export async function findWithGrants(
  db: Db,
  serverId: string,
  userId: string,
): Promise<{ member: Member; granted: Grantable[] } | undefined> {
  const [row] = await query<Row & { granted: Grantable[] }>(db, oneWithGrants, [serverId, userId]);
  return row && { member: toMember(row), granted: row.granted };
}

export async function findOwner(db: Db, serverId: string): Promise<string | undefined> {
  const row = await members(db).findOne({ where: { serverId, role: 'owner' }, ...within(db) });
  return row?.get().userId;
}

/** Reads ids only, because reading many whole rows takes longer than writing to each. */
export async function findMemberIds(
  db: Db,
  serverId: string,
  after: string | null = null,
  limit: number | null = null,
): Promise<string[]> {
  const found = await query<{ userId: string }>(
    db,
    `select user_id as "userId" from members
     where server_id = $1 and ($2::uuid is null or user_id > $2) order by user_id limit $3`,
    [serverId, after, limit],
  );
  return found.map(({ userId }) => userId);
}

/** An SQL condition, as in the index `members_listed`: the room of a large server lists this member. */
const isStaff = `(role <> 'member' or role_ids is not null)`;

const pageOfMembers = named(
  `select ${columns} from members
   where server_id = $1 and ($2::uuid is null or user_id > $2) order by user_id limit $3`,
);
const pageOfStaff = named(
  `select ${columns} from members
   where server_id = $1 and ($2::uuid is null or user_id > $2) and ${isStaff}
   order by user_id limit $3`,
);
const membersAmong = named(
  `select ${columns} from members
   where server_id = $1 and ($2::uuid is null or user_id > $2) and user_id = any($4::uuid[])
   order by user_id limit $3`,
);

/** A page by user id, or everyone. With `userIds`, the members among them. */
export const findMembers = (
  db: Db,
  serverId: string,
  { userIds, ...page }: Page & { userIds?: string[] | undefined } = {},
): Promise<Member[]> =>
  userIds === undefined
    ? findPage(db, pageOfMembers, serverId, page)
    : findPage(db, membersAmong, serverId, page, [userIds]);

export const findStaff = (db: Db, serverId: string, page: Page): Promise<Member[]> =>
  findPage(db, pageOfStaff, serverId, page);

async function findPage(
  db: Db,
  statement: NamedValues,
  serverId: string,
  { after, limit }: Page,
  more: unknown[] = [],
): Promise<Member[]> {
  const bind = [serverId, after ?? null, limit ?? null, ...more];
  return (await query<Row>(db, statement, bind)).map(toMember);
}

/** Excludes bots, moderators, the owner, and members with a custom role that lets them ban others. */
const newcomers = `from members where server_id = $1 and role = 'member'
  and (role_ids is null or not exists (select from roles where roles.server_id = $1
    and roles.id = any(members.role_ids) and 'manage members' = any(permissions)))
  and joined_at > now() - $2 * interval '1 second'
  and exists (select from users where id = user_id and kind <> 'bot')`;

/** The latest first. */
export const findNewcomers = async (
  db: Db,
  serverId: string,
  seconds: number,
  limit: number,
): Promise<Member[]> =>
  (
    await query<Row>(
      db,
      `select ${columns} ${newcomers} order by joined_at desc, user_id limit $3`,
      [serverId, seconds, limit],
    )
  ).map(toMember);

export async function countNewcomers(db: Db, serverId: string, seconds: number): Promise<number> {
  const sql = `select count(*)::int as count ${newcomers}`;
  const [row] = await query<{ count: number }>(db, sql, [serverId, seconds]);
  return row?.count ?? 0;
}

const listedIds = named(
  `select user_id as "userId" from members
   where server_id = $1
     and (${isStaff} or not exists (select 1 from servers where id = $1 and large))`,
);

export async function findListedIds(db: Db, serverId: string): Promise<string[]> {
  const found = await query<{ userId: string }>(db, listedIds, [serverId]);
  return found.map(({ userId }) => userId);
}

export const countAmong = (db: Db, serverId: string, userIds: string[]): Promise<number> =>
  members(db).count({ where: { serverId, userId: userIds }, ...within(db) });

export const countMembers = (db: Db, serverId: string): Promise<number> =>
  members(db).count({ where: { serverId }, ...within(db) });

const memberAt = named('select 1 from members where server_id = $1 offset $2 limit 1');

/** Reads at most `count` rows. */
export const hasMembers = async (db: Db, serverId: string, count: number): Promise<boolean> =>
  (await query(db, memberAt, [serverId, count - 1])).length > 0;

const membershipsOf = named(
  `select server_id as "serverId", user_id as "userId", ${isStaff} as "isStaff", user_version as "userVersion"
   from members where user_id = any($1::uuid[])
     and exists (select 1 from servers where servers.id = server_id)`,
);

/** The memberships of these people, each with the version that the person's own room last published. */
export const findMemberships = (
  db: Db,
  userIds: string[],
): Promise<(Pick<MemberRow, 'serverId' | 'userId' | 'userVersion'> & { isStaff: boolean })[]> =>
  query(db, membershipsOf, [userIds]);

const newMember = named(
  `insert into members (server_id, user_id, role, version, user_version) values ($1, $2, $3, $4, $5)
   returning ${columns}`,
);

export async function insertMember(
  db: Db,
  member: Pick<MemberRow, 'serverId' | 'userId' | 'role' | 'version' | 'userVersion'>,
): Promise<Member> {
  const { serverId, userId, role, version, userVersion } = member;
  const bind = [serverId, userId, role, version, userVersion];
  const [row] = await query<Row>(db, newMember, bind);
  if (row === undefined) throw new Error('a member was not stored');
  return toMember(row);
}

const changed = named(
  `update members set role = coalesce($3, role), version = coalesce($4, version),
     nickname = case when $5 then $6 else nickname end,
     role_ids = case when $7 then $8::uuid[] else role_ids end
   where server_id = $1 and user_id = $2 returning ${columns}`,
);

export async function updateMember(
  db: Db,
  { serverId, userId }: { serverId: string; userId: string },
  {
    role,
    version,
    nickname,
    roleIds,
  }: Partial<Pick<MemberRow, 'role' | 'nickname' | 'roleIds' | 'version'>>,
): Promise<Member> {
  const isNamed = nickname !== undefined;
  const [row] = await query<Row>(db, changed, [
    ...[serverId, userId, role ?? null, version ?? null, isNamed, nickname ?? null],
    ...[roleIds !== undefined, roleIds ?? null],
  ]);
  if (row === undefined) throw new Error('a member is missing although the server is locked');
  if (isNamed) await updateNicknames(db, [{ serverId, userId, nickname }]);
  return toMember(row);
}

export async function updateUserVersions(
  db: Db,
  serverId: string,
  versions: Map<string, number>,
): Promise<void> {
  await query(
    db,
    `update members set user_version = changed.version
     from unnest($2::uuid[], $3::bigint[]) as changed (user_id, version)
     where members.server_id = $1 and members.user_id = changed.user_id`,
    [serverId, [...versions.keys()], [...versions.values()]],
  );
}

export async function deleteMembers(db: Db, serverId: string, userIds: string[]): Promise<void> {
  await members(db).destroy({ where: { serverId, userId: userIds }, ...within(db) });
}
