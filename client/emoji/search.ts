import { foldAccents } from '../ui/fold-accents.ts';
import { wellKnown } from './well-known.ts';

export interface EmojiEntry {
  sign: string;
  /** Unicode's name, for example "party popper". */
  name: string;
  /** Search words, for example "tada" and "celebrate". */
  words: readonly string[];
  hasTones: boolean;
}

/** Emoji where each word of `text` begins one of their words. Matching names and complete words come first. */
export const searchEmoji = (
  all: readonly EmojiEntry[],
  text: string,
  limit: number,
): EmojiEntry[] =>
  ranked(all, text)
    .slice(0, limit)
    .map(({ emoji }) => emoji);

function ranked(all: readonly EmojiEntry[], text: string): { emoji: EmojiEntry; rank: number }[] {
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

/** The emoji that `:tada:` means; undefined if it is ambiguous. */
export function emojiNamed(all: readonly EmojiEntry[], shortcode: string): EmojiEntry | undefined {
  const [best, next] = ranked(all, shortcode);
  if (!best || best.rank > 1) return undefined;
  return best.rank === 1 && next?.rank === 1 ? undefined : best.emoji;
}

function rankOf({ sign, name, words }: EmojiEntry, sought: readonly string[], whole: string) {
  const own = foldAccents(name);
  const others = words.map((word) => wordsOf(word).join(' '));
  if (wellKnown.get(whole) === sign) return 0;
  // If the word is well known for another emoji, that one comes first.
  if (own === whole) return wellKnown.has(whole) ? 1 : 0;
  if (others.includes(whole)) return 1;
  if (own.startsWith(whole)) return 2;
  const all = [...wordsOf(name), ...others.flatMap((word) => word.split(' '))];
  const begins = (start: string) => all.some((word) => word.startsWith(start));
  return sought.every(begins) ? 3 : undefined;
}

const wordsOf = (text: string) =>
  foldAccents(text)
    .split(/[\s_:-]+/)
    .filter((word) => word !== '');
