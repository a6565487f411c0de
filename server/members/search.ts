/** Finds people by name in all servers of the caller, including guests and bots, which no other search finds. */
import { limits } from '../../shared/limits.ts';
import type { FoundMember } from '../../shared/members.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { fold, isShort, partsWanted } from '../people/folding.ts';
import { fit } from '../people/name-search.ts';
import { findPeople } from '../people/people.ts';
import { blockedUserIds } from '../blocks/access.ts';
import { query, readTransaction, type Db } from '../database/database.ts';
import { serversSeenBy } from '../servers/access.ts';
import type { Caller } from '../caller.ts';
import { membershipsOf } from './access.ts';

/** The best match first, each person once. Excludes the caller and people on either side of a block. */
export async function searchMembers(
  caller: Caller,
  { query: wanted, limit = limits.searchResults }: Parsed<'member:search'>,
): Promise<Output<'member:search'>> {
  const { db, user } = caller;
  const folded = fold(wanted);
  if (folded === '') return { members: [], people: {} };
  return readTransaction(db, async (db) => {
    const mine = [...(await membershipsOf(db, user.id)).keys()];
    const serverIds = [...(await serversSeenBy(db, caller, mine)).keys()];
    const without = [user.id, ...(await blockedUserIds(db, user.id))];
    const members = await findInServers(db, folded, { serverIds, without, limit });
    return {
      members,
      people: await findPeople(
        db,
        members.map(({ userId }) => userId),
      ),
    };
  });
}

/** The number of people compared by nickname, and by their own names. */
const maxFound = 300;

/** $1 is the folded query, $2 the text that a name must contain, $3 its parts, $4 the servers. */
const finding = `with nicknamed as (
    select user_id, server_id, nickname, ${fit('folded_nickname')} as fit from members
    where server_id = any($4::uuid[]) and nickname is not null
      and nickname_parts @> $3::text[] and strpos(' ' || folded_nickname, $2) > 0
    limit ${maxFound}
  ), named as (
    select id as user_id, least(${fit('folded_name')}, ${fit('folded_username')}) as fit from users
    where name_parts @> $3::text[]
      and (strpos(' ' || folded_name, $2) > 0 or strpos(' ' || folded_username, $2) > 0)
      and exists (select from members where user_id = users.id and server_id = any($4::uuid[]))
    limit ${maxFound}
  ), found as (
    select user_id, server_id, nickname, fit from nicknamed
    union all
    select user_id, somewhere.server_id, somewhere.nickname, fit
    from named cross join lateral (
      select server_id, nickname from members
      where members.user_id = named.user_id and server_id = any($4::uuid[])
      order by server_id limit 1
    ) as somewhere
  ), best as (
    select distinct on (user_id) user_id, server_id, nickname, fit from found
    where user_id <> all($5::uuid[]) order by user_id, fit, server_id
  )
  select user_id as "userId", server_id as "serverId", nickname
  from best join users on users.id = user_id
  order by fit, char_length(folded_name), folded_name, user_id limit $6`;

interface Where {
  serverIds: string[];
  without: string[];
  limit: number;
}

/** `db` must be a transaction. */
export async function findInServers(
  db: Db,
  folded: string,
  { serverIds, without, limit }: Where,
): Promise<FoundMember[]> {
  // Forces the index. For a common name, PostgreSQL would otherwise scan all rows and expect enough matches soon.
  await query(db, 'set local enable_seqscan = off');
  return query(db, finding, [
    folded,
    isShort(folded) ? ` ${folded}` : folded,
    partsWanted(folded),
    serverIds,
    without,
    limit,
  ]);
}

export const findNicknamed = (
  db: Db,
  folded: string,
  serverIds: string[],
): Promise<{ id: string }[]> =>
  query(
    db,
    `select user_id as id from members where nickname is not null and nickname_parts @> $2::text[]
       and folded_nickname = $1 and server_id = any($3::uuid[])
     limit ${maxFound}`,
    [folded, partsWanted(folded), serverIds],
  );
