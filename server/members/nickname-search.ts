/** Finds members by their folded name in the server (the nickname, or else their own name) or by their username. */
import { fold, isShort, lookPart, partsOf, partsWanted } from '../people/folding.ts';
import { query, type Db } from '../database/database.ts';

interface Nicknamed {
  serverId: string;
  userId: string;
  nickname: string | null;
}

/** Stores the folded nicknames of these members, in the transaction that sets them. */
export async function updateNicknames(db: Db, members: Nicknamed[]): Promise<void> {
  const folded = members.map(({ nickname }) => fold(nickname ?? ''));
  await query(
    db,
    `update members set folded_nickname = now.name,
       nickname_parts = array(select jsonb_array_elements_text(now.parts))
     from unnest($1::uuid[], $2::uuid[], $3::text[], $4::jsonb[])
       as now (server_id, user_id, name, parts)
     where members.server_id = now.server_id and members.user_id = now.user_id`,
    [
      members.map(({ serverId }) => serverId),
      members.map(({ userId }) => userId),
      folded,
      members.map(({ nickname }, i) =>
        JSON.stringify([
          ...partsOf(folded[i] ?? ''),
          ...(nickname === null ? [] : [lookPart(nickname)]),
        ]),
      ),
    ],
  );
}

export async function updateAllNicknames(db: Db): Promise<void> {
  const first = '00000000-0000-0000-0000-000000000000';
  for (
    let last: Nicknamed | undefined = { serverId: first, userId: first, nickname: null };
    last;
  ) {
    const members: Nicknamed[] = await query<Nicknamed>(
      db,
      `select server_id as "serverId", user_id as "userId", nickname from members
       where nickname is not null and (server_id, user_id) > ($1, $2)
       order by server_id, user_id limit 1000`,
      [last.serverId, last.userId],
    );
    await updateNicknames(db, members);
    last = members.at(-1);
  }
}

const page = `server_id = $1 and ($3::uuid[] is null or user_id = any($3))
  and ($4::uuid is null or user_id > $4)`;

/**
 * $2: the parts of a name; $6: the text in it. A nickname replaces a person’s own name; the username always counts.
 * Each half has its own limit, so that PostgreSQL reads a rare name by its parts and a common one in page order.
 */
const findingByName = `
  (select user_id as "userId" from members
   where nickname is not null and nickname_parts @> $2::text[]
     and strpos(' ' || folded_nickname, $6) > 0 and ${page}
   order by user_id limit $5)
  union
  (select user_id from members join users on users.id = user_id
   where name_parts @> $2::text[]
     and (nickname is null and strpos(' ' || folded_name, $6) > 0
       or strpos(' ' || folded_username, $6) > 0)
     and ${page}
   order by user_id limit $5)
  order by "userId" limit $5`;

/** Bounds of a search by look, because attackers could give one look to any number of accounts. */
const byLook = {
  /** Accounts, and members with a nickname, that are compared, in all servers. */
  compared: 2_000,
  /** Matches that are read in the server. */
  found: 300,
};

/** The lateral query keeps PostgreSQL from reading all members of the server instead. */
const findingByLook = `
  with alike as (
    select user_id as id from (
      select server_id, user_id from members
      where nickname is not null and nickname_parts @> $2::text[] limit ${byLook.compared}
    ) as nicknamed where server_id = $1
    union all
    select named.id from (
      select id from users where name_parts @> $2::text[] limit ${byLook.compared}
    ) as named cross join lateral (
      select from members
      where server_id = $1 and user_id = named.id and nickname is null limit 1
    ) as here
    limit ${byLook.found}
  )
  select id as "userId" from alike
  where ($3::uuid[] is null or id = any($3)) and ($4::uuid is null or id > $4)
  order by id limit $5`;

interface Among {
  after?: string | undefined;
  limit: number;
  userIds?: string[] | undefined;
}

/** A page by id. A short `part` must begin a word of the name. `db` must be a transaction. */
export async function findMembersByName(
  db: Db,
  serverId: string,
  part: string,
  among: Among,
): Promise<string[]> {
  const folded = fold(part);
  if (folded === '') return [];
  const wanted = isShort(folded) ? ` ${folded}` : folded;
  return find(db, findingByName, serverId, partsWanted(folded), among, [wanted]);
}

/** A page by id. Returns only some of the members if there are hundreds. `db` must be a transaction. */
export const findMembersByLook = (
  db: Db,
  serverId: string,
  name: string,
  among: Among,
): Promise<string[]> => find(db, findingByLook, serverId, [lookPart(name)], among);

async function find(
  db: Db,
  sql: string,
  serverId: string,
  parts: string[],
  { after, limit, userIds }: Among,
  more: unknown[] = [],
): Promise<string[]> {
  // Forces the index. For a common name, PostgreSQL would otherwise scan all rows and expect enough matches soon.
  await query(db, 'set local enable_seqscan = off');
  const bind = [serverId, parts, userIds ?? null, after ?? null, limit, ...more];
  const rows = await query<{ userId: string }>(db, sql, bind);
  return rows.map(({ userId }) => userId);
}
