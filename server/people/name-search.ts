/** Finds people by their names, which are stored folded with each change of a name. */
import type { StatusText } from '../../shared/people.ts';
import { liveStatusText } from './account-row.ts';
import type { Account, FoundPerson } from '../../shared/accounts.ts';
import { query, type Db } from '../database/database.ts';
import { fold, isShort, lookPart, partsOf, partsWanted } from './folding.ts';

type Named = Pick<Account, 'id' | 'name' | 'username'>;

export function searchable({ name, username }: Omit<Named, 'id'>) {
  const folded = [fold(name), fold(username ?? '')] as const;
  return { folded, parts: [...new Set([...folded.flatMap(partsOf), lookPart(name)])] };
}

/** Stores the folded names of these accounts, in the transaction that renamed them. */
export async function indexNames(db: Db, people: Named[]): Promise<void> {
  const names = people.map(searchable);
  await query(
    db,
    `update users set folded_name = now.name, folded_username = now.username,
       name_parts = array(select jsonb_array_elements_text(now.parts))
     from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as now (id, name, username, parts)
     where users.id = now.id`,
    [
      people.map(({ id }) => id),
      names.map(({ folded: [name] }) => name),
      names.map(({ folded: [, username] }) => username),
      names.map(({ parts }) => JSON.stringify(parts)),
    ],
  );
}

export async function updateAllNames(db: Db): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const people = await query<Named>(
      db,
      `select id, display_name as name, username from users
       where id > $1 order by id limit 1000`,
      [after],
    );
    const last = people.at(-1);
    if (last === undefined) return;
    await indexNames(db, people);
    after = last.id;
  }
}

/** SQL: how well a folded name fits the query ($1): 0 equal, 1 begins with it, 2 has a word that does, 3 other. */
export const fit = (name: string) =>
  `case when ${name} = $1 then 0 when starts_with(${name}, $1) then 1
     when strpos(' ' || ${name}, ' ' || $1) > 0 then 2 else 3 end`;

/** The most accounts that each part of `finding` compares. */
const max = { beginning: 50, within: 500 };
const beginning = (column: string) =>
  `(select id from users
    where kind = 'registered' and ${column} ~>=~ $1 and ${column} ~<~ $2
    order by ${column} using ~<~ limit ${max.beginning})`;

/** Finds names that begin with the query by their order, and names that contain it by their parts. */
const finding = `with found as (
    ${beginning('folded_username')}
    union ${beginning('folded_name')}
    union (select id from users where kind = 'registered' and name_parts @> $3::text[]
      and (strpos(' ' || folded_name, $4) > 0 or strpos(' ' || folded_username, $4) > 0)
      limit ${max.within})
  )
  select users.id, display_name as name, kind, rev, username, avatar_id as avatar,
    status_text as "statusText"
  from found join users on users.id = found.id
  where users.id <> all($5::uuid[])
  order by least(${fit('folded_name')}, ${fit('folded_username')}),
    char_length(folded_name), folded_name, users.id
  limit $6`;

/** Finds people by the beginning or a part of a name, the best fit first. `db` must be a transaction. */
export async function findByName(
  db: Db,
  folded: string,
  without: string[],
  limit: number,
): Promise<FoundPerson[]> {
  // For frequent text, the planner would scan all accounts, expecting to find enough of them soon.
  await query(db, 'set local enable_seqscan = off');
  const found = await query<FoundRow>(db, finding, [
    folded,
    // Sorts after everything that begins with the text, byte by byte.
    `${folded}\u{10ffff}`,
    partsWanted(folded),
    isShort(folded) ? ` ${folded}` : folded,
    without,
    limit,
  ]);
  return found.map(({ avatar, statusText, ...person }) => ({
    ...person,
    ...(avatar !== null && { avatar }),
    ...liveStatusText(statusText),
  }));
}

type FoundRow = Omit<FoundPerson, 'avatar' | 'statusText'> & {
  avatar: string | null;
  statusText: StatusText | null;
};

export const findUsersByName = (db: Db, folded: string): Promise<{ id: string }[]> =>
  query(
    db,
    `select id from users where name_parts @> $2::text[] and $1 in (folded_name, folded_username)
     limit ${max.within}`,
    [folded, partsWanted(folded)],
  );
