import { foldText } from '../../shared/folding.ts';
import type { Db } from '../database/database.ts';
import { findWords, saveWords } from './store.ts';

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
