/** Names brought to what is alike in all ways of writing them, and taken apart so that an index finds them. */
import { foldLetters } from '../../shared/folding.ts';
import { looksOf } from './skeletons.ts';

/** O’Brien is obrien, and Anne-Marie anne marie. */
export function fold(name: string): string {
  return foldLetters(name)
    .replace(/['’ʼ`´]/g, '')
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}

/**
 * What a folded name is found by: all that is three letters long in it, and the first two and the first of
 * each word, with a space before them.
 */
export function partsOf(folded: string): string[] {
  const parts = new Set(triplesOf(folded));
  for (const word of folded.split(' ')) {
    const [first = '', second] = [...word];
    if (first !== '') parts.add(` ${first}`);
    if (second !== undefined) parts.add(` ${first}${second}`);
  }
  return [...parts];
}

/** The part that all names have which are taken for each other. No other part is as long. */
export const lookPart = (name: string): string => `looks:${looksOf(name)}`;

/** Which parts a name must have to have `folded` in it, or, if that is too short for that, a word that begins so. */
export const partsWanted = (folded: string): string[] =>
  isShort(folded) ? [` ${folded}`] : triplesOf(folded);

export const isShort = (folded: string): boolean => [...folded].length < 3;

function triplesOf(text: string): string[] {
  const letters = [...text];
  return letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''));
}
