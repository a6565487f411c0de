import { named, query, type Db } from '../database/database.ts';

const largeAmong = named('select id from servers where large and id = any($1::uuid[])');
const allLarge = named('select id from servers where large');

export async function findLarge(db: Db, ids?: string[]): Promise<string[]> {
  const rows = await (ids === undefined
    ? query<{ id: string }>(db, allLarge)
    : query<{ id: string }>(db, largeAmong, [ids]));
  return rows.map(({ id }) => id);
}

export async function updateLarge(db: Db, id: string, large: boolean): Promise<void> {
  await query(db, 'update servers set large = $2 where id = $1', [id, large]);
}
