/** Text brought to what is alike in all ways of writing it. */

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
const typed = new RegExp(`[${Object.keys(typedAs).join('')}]`, 'g');

// eslint-disable-next-line no-control-regex -- all of ASCII
const ascii = /^[\x00-\x7f]*$/;

/** Without case, accents and what only looks different. */
export function foldLetters(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(marks, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(typed, (letter) => typedAs[letter] ?? letter);
}

/** Arabic as it is typed in a hurry: every alef is one, a final ya or ta marbuta too; nothing is stretched. */
const arabic: Record<string, string> = { ٱ: 'ا', ى: 'ي', ة: 'ه', ـ: '' };
const arabicLetters = /[ٱىةـ]/g;

/** Signs that nobody sees, and that nobody types when looking for a word. */
const unseen = /\p{Default_Ignorable_Code_Point}/gu;

/** Two characters that are whole Arabic phrases, and fold to 18 and 8 letters. */
const phrases = /[\ufdfa\ufdfb]/g;
const maxPhrases = 20;

/** Removes the phrases after the first `maxPhrases`, so that the folded text is not many times as long. */
function withFewPhrases(text: string): string {
  let seen = 0;
  return text.replace(phrases, (phrase) => ((seen += 1) > maxPhrases ? ' ' : phrase));
}

/** Words as they are compared: one space between them, whatever was there. */
export const foldText = (text: string): string =>
  foldLetters(withFewPhrases(text))
    .replace(arabicLetters, (letter) => arabic[letter] ?? letter)
    .replace(unseen, '')
    .replace(/\s+/gu, ' ');
