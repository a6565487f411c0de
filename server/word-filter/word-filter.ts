import { foldText } from '../../shared/folding.ts';
import type { Db } from '../database/database.ts';
import { matcherOf } from './matching.ts';
import { findWords, findWordsOf, saveWords } from './store.ts';

/** True if a text has an entry of the word filter of the timeline’s server. */
export async function isFilteredIn(db: Db, timelineId: string): Promise<(text: string) => boolean> {
  const [found] = await findWordsOf(db, [timelineId]);
  const matches = matcherOf(found?.words ?? []);
  return (text) => matches(text) !== undefined;
}

export const wordFilterOf = (db: Db, serverId: string): Promise<string[]> =>
  findWords(db, serverId);

/** Keeps the first of entries that are equal after folding. Returns what it stores. */
export async function saveWordFilter(
  db: Db,
  serverId: string,
  wanted: string[],
): Promise<string[]> {
  const folded = wanted.map(foldText);
  const words = wanted.filter((_, i) => folded.indexOf(folded[i] ?? '') === i);
  await saveWords(db, serverId, words);
  return words;
}
