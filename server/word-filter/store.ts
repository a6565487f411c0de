import { named, query, type Db } from '../database/database.ts';

export async function findWords(db: Db, serverId: string): Promise<string[]> {
  const [found] = await query<{ words: string[] }>(
    db,
    'select words from word_filters where server_id = $1',
    [serverId],
  );
  return found?.words ?? [];
}

const wordsAmong = named(
  `select array_agg(channels.id) as "timelineIds", words
   from channels join word_filters using (server_id)
   where channels.id = any($1::uuid[]) group by word_filters.server_id`,
);

/** The word filters of these timelines. */
export const findWordsOf = (
  db: Db,
  timelineIds: string[],
): Promise<{ timelineIds: string[]; words: string[] }[]> => query(db, wordsAmong, [timelineIds]);

export async function saveWords(db: Db, serverId: string, words: string[]): Promise<void> {
  if (words.length === 0)
    await query(db, 'delete from word_filters where server_id = $1', [serverId]);
  else
    await query(
      db,
      `insert into word_filters (server_id, words) values ($1, $2)
       on conflict (server_id) do update set words = excluded.words`,
      [serverId, words],
    );
}
