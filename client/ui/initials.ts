/** The first grapheme of two words, or of one in scripts whose characters are words or joined (Chinese, Arabic). */
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

const letterOrDigit = /^[\p{Lu}\p{N}]/u;

const first = (word: string) =>
  graphemes.segment(word)[Symbol.iterator]().next().value?.segment.toUpperCase() ?? '';

export function initials(name: string): string {
  const words = name.split(/[\s\-_.]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const [one = name.trim(), two] = words;
  const both =
    two !== undefined && letterOrDigit.test(first(one)) && letterOrDigit.test(first(two));
  return both ? first(one) + first(two) : first(one);
}

/** A hue for a person or a place, the same on every device. */
const hues = [20, 60, 100, 150, 200, 240, 290, 340] as const;

export function hueOf(id: string): number {
  let hash = 0;
  for (const character of id) hash = (hash * 31 + character.charCodeAt(0)) >>> 0;
  return hues[hash % hues.length] ?? hues[0];
}
