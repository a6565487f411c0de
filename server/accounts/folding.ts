/** Names brought to what is alike in all ways of writing them, and taken apart so that an index finds them. */

/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels. In other scripts marks are letters. */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not take apart, though people type them as these. */
const typedAs: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ı: 'i',
  ĸ: 'k',
  ς: 'σ',
};

/** O’Brien is obrien, and Anne-Marie anne marie. */
export function fold(name: string): string {
  return name
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/./gsu, (letter) => typedAs[letter] ?? letter)
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

/** Which parts a name must have to have `folded` in it, or, if that is too short for that, a word that begins so. */
export const partsWanted = (folded: string): string[] =>
  isShort(folded) ? [` ${folded}`] : triplesOf(folded);

export const isShort = (folded: string): boolean => [...folded].length < 3;

function triplesOf(text: string): string[] {
  const letters = [...text];
  return letters.slice(2).map((_, i) => letters.slice(i, i + 3).join(''));
}
