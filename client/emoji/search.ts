/** Finds emoji by their names and by the words that people use for them. */
import { fold } from '../ui/fold.ts';

export interface Emoji {
  sign: string;
  /** As Unicode names it: "party popper". */
  name: string;
  /** Other words for it: "tada", "celebrate". */
  words: readonly string[];
  hasTones: boolean;
}

/** Those that all the words of `text` begin a word of. A name, or a word that is meant whole, comes first. */
export function searchEmoji(all: readonly Emoji[], text: string, most: number): Emoji[] {
  const sought = wordsOf(text);
  if (sought.length === 0) return [];
  const whole = sought.join(' ');
  const ranked = all.flatMap((emoji) => {
    const rank = rankOf(emoji, sought, whole);
    return rank === undefined ? [] : [{ emoji, rank }];
  });
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ emoji }) => emoji);
}

function rankOf({ name, words }: Emoji, sought: readonly string[], whole: string) {
  const own = fold(name);
  const others = words.map((word) => wordsOf(word).join(' '));
  if (own === whole) return 0;
  if (others.includes(whole)) return 1;
  if (own.startsWith(whole)) return 2;
  const all = [...wordsOf(name), ...others.flatMap((word) => word.split(' '))];
  const begins = (start: string) => all.some((word) => word.startsWith(start));
  return sought.every(begins) ? 3 : undefined;
}

const wordsOf = (text: string) =>
  fold(text)
    .split(/[\s_:-]+/)
    .filter((word) => word !== '');
