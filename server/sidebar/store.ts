import type { SidebarList, SidebarListName } from '../../shared/sidebar.ts';
import { named, query, type Db } from '../database/database.ts';

const columns = 'list, ids, version';

const listsOf = named(`select ${columns} from sidebar_lists where user_id = $1 order by list`);

export const findLists = (db: Db, userId: string): Promise<SidebarList[]> =>
  query(db, listsOf, [userId]);

const listOf = named(`select ${columns} from sidebar_lists where user_id = $1 and list = $2`);

export async function findList(
  db: Db,
  userId: string,
  list: SidebarListName,
): Promise<SidebarList> {
  const [row] = await query<SidebarList>(db, listOf, [userId, list]);
  return row ?? { list, ids: [], version: 0 };
}

const upsert = named(
  `insert into sidebar_lists (user_id, list, ids, version) values ($1, $2, $3::uuid[], $4)
   on conflict (user_id, list) do update set ids = excluded.ids, version = excluded.version`,
);

export async function saveList(
  db: Db,
  userId: string,
  { list, ids, version }: SidebarList,
): Promise<void> {
  await query(db, upsert, [userId, list, ids, version]);
}

export async function deleteLists(db: Db, userId: string): Promise<void> {
  await query(db, 'delete from sidebar_lists where user_id = $1', [userId]);
}

/** The categories among these that the person can see, in the same order. */
export async function findCategoryIdsAmong(
  db: Db,
  userId: string,
  ids: string[],
): Promise<string[]> {
  const found = await query<{ id: string }>(
    db,
    `select categories.id from unnest($2::uuid[]) with ordinality as given (id, at)
     join categories on categories.id = given.id
     join members on members.server_id = categories.server_id and members.user_id = $1
     order by given.at`,
    [userId, ids],
  );
  return found.map(({ id }) => id);
}
