/** Folds names to what all spellings have in common, and splits them into parts for an index. */
import { foldLetters } from '../../shared/folding.ts';
import { looksOf } from './skeletons.ts';

/** `O’Brien` becomes `obrien`, `Anne-Marie` becomes `anne marie`. */
export function fold(name: string): string {
  return foldLetters(name)
    .replace(/['’ʼ`´]/g, '')
    .replace(/[\p{P}\s]+/gu, ' ')
    .trim();
}

/** The parts that find a folded name: all runs of three letters, and a space with the first one or two of each word. */
export function partsOf(folded: string): string[] {
  const parts = new Set(triplesOf(folded));
  for (const word of folded.split(' ')) {
    const [first = '', second] = [...word];
    if (first !== '') parts.add(` ${first}`);
    if (second !== undefined) parts.add(` ${first}${second}`);
  }
  return [...parts];
}

/** The part that look-alike names have in common. It equals no other part, because all others are shorter. */
export const lookPart = (name: string): string => `looks:${looksOf(name)}`;

/** The parts of every name that contains `folded`, or, below three letters, that has a word beginning with it. */
export const partsWanted = (folded: string): string[] =>
  isShort(folded) ? [` ${folded}`] : triplesOf(folded);

export const isShort = (folded: string): boolean => [...folded].length < 3;

function triplesOf(text: string): string[] {
  const letters = [...text];
  return letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''));
}
