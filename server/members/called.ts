/** By what members are found: the name that they have in the server, folded, its nickname or their own; and their username. */
import { fold, isShort, partsOf, partsWanted } from '../accounts/folding.ts';
import { query, type Db } from '../database/database.ts';

interface Nicknamed {
  serverId: string;
  userId: string;
  nickname: string | null;
}

/** Keeps the folded nicknames of these members, in the transaction that has given them. */
export async function keepNicknames(db: Db, members: Nicknamed[]): Promise<void> {
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
      folded.map((name) => JSON.stringify(partsOf(name))),
    ],
  );
}

/** The same of all that there are, some at a time. */
export async function keepAllNicknames(db: Db): Promise<void> {
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
    await keepNicknames(db, members);
    last = members.at(-1);
  }
}

/** Of those who are asked for, the ones after the page before. */
const page = `server_id = $1 and ($4::uuid[] is null or user_id = any($4))
  and ($5::uuid is null or user_id > $5)`;

/**
 * Who has a nickname is called by that alone, and by their username. $2 is what is looked for, $3 the parts of which it is made. Each half
 * ends by itself: what few are called is read by its parts, what many are called in the order of the page.
 */
const finding = `
  (select user_id as "userId" from members
   where nickname is not null and nickname_parts @> $3::text[]
     and strpos(' ' || folded_nickname, $2) > 0 and ${page}
   order by user_id limit $6)
  union
  (select user_id from members join users on users.id = user_id
   where name_parts @> $3::text[]
     and (nickname is null and strpos(' ' || folded_name, $2) > 0
       or strpos(' ' || folded_username, $2) > 0) and ${page}
   order by user_id limit $6)
  order by "userId" limit $6`;

/**
 * A page by id of those members, or of these people, whose name has this in it, or, if it is short, a word that
 * begins so. `db` is a transaction.
 */
export async function findCalled(
  db: Db,
  serverId: string,
  part: string,
  {
    after,
    limit,
    userIds,
  }: { after?: string | undefined; limit: number; userIds?: string[] | undefined },
): Promise<string[]> {
  const folded = fold(part);
  if (folded === '') return [];
  // What many are called would be looked for among all, in the hope of meeting enough of them soon.
  await query(db, 'set local enable_seqscan = off');
  const rows = await query<{ userId: string }>(db, finding, [
    serverId,
    isShort(folded) ? ` ${folded}` : folded,
    partsWanted(folded),
    userIds ?? null,
    after ?? null,
    limit,
  ]);
  return rows.map(({ userId }) => userId);
}
