/** Finds emoji by their names and by the words that people use for them. */
import { fold } from '../ui/fold.ts';
import { wellKnown } from './well-known.ts';

export interface Emoji {
  sign: string;
  /** As Unicode names it: "party popper". */
  name: string;
  /** Other words for it: "tada", "celebrate". */
  words: readonly string[];
  hasTones: boolean;
}

/** Those that all the words of `text` begin a word of. A name, or a word that is meant whole, comes first. */
export const searchEmoji = (all: readonly Emoji[], text: string, most: number): Emoji[] =>
  ranked(all, text)
    .slice(0, most)
    .map(({ emoji }) => emoji);

function ranked(all: readonly Emoji[], text: string): { emoji: Emoji; rank: number }[] {
  const sought = wordsOf(text);
  if (sought.length === 0) return [];
  const whole = sought.join(' ');
  return all
    .flatMap((emoji) => {
      const rank = rankOf(emoji, sought, whole);
      return rank === undefined ? [] : [{ emoji, rank }];
    })
    .sort((a, b) => a.rank - b.rank);
}

/** The one that somebody means who writes `:tada:`; none if it may be one of several. */
export function emojiNamed(all: readonly Emoji[], shortcode: string): Emoji | undefined {
  const [best, next] = ranked(all, shortcode);
  if (!best || best.rank > 1) return undefined;
  return best.rank === 1 && next?.rank === 1 ? undefined : best.emoji;
}

function rankOf({ sign, name, words }: Emoji, sought: readonly string[], whole: string) {
  const own = fold(name);
  const others = words.map((word) => wordsOf(word).join(' '));
  if (wellKnown.get(whole) === sign) return 0;
  // Where people mean another by it, that comes first.
  if (own === whole) return wellKnown.has(whole) ? 1 : 0;
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
