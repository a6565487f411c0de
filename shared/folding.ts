/** Folds text, so that different spellings of a word compare equal. */

/** Accents of Latin, Greek and Cyrillic, Hebrew points, Arabic vowels. In other scripts, marks are letters. */
const marks = /[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670]/g;

/** Letters that Unicode does not decompose, though people type them as these. */
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
const typed = new RegExp(`[${Object.keys(typedAs).join('')}]`, 'g');

// eslint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\x00-\x7f]*$/;

/** Removes case, accents and compatibility variants. */
export function foldLetters(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(typed, (letter) => typedAs[letter] ?? letter);
}

/** Typed Arabic: alef wasla becomes alef, alef maksura ya, and ta marbuta ha; tatweel is removed. */
const arabic: Record<string, string> = { ٱ: 'ا', ى: 'ي', ة: 'ه', ـ: '' };
const arabicLetters = /[ٱىةـ]/g;

/** Invisible characters, which people do not type in a search. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;

/** Two characters that are whole Arabic phrases; they fold to 18 and 8 letters. */
const phrases = /[\ufdfa\ufdfb]/g;
const maxPhrases = 20;

/** Removes the phrases after the first `maxPhrases`, so that the folded text is not many times as long. */
function withFewPhrases(text: string): string {
  let seen = 0;
  return text.replace(phrases, (phrase) => ((seen += 1) > maxPhrases ? ' ' : phrase));
}

export const foldText = (text: string): string =>
  foldLetters(withFewPhrases(text))
    .replace(arabicLetters, (letter) => arabic[letter] ?? letter)
    .replace(unseen, '')
    .replace(/\s+/gu, ' ');
