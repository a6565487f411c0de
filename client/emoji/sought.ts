/** The emoji name that the user is typing: a colon and at least two letters. */
import type { PersonMatch } from '../mentions/suggest.ts';

const whole = /(?:^|[^\p{L}\p{N}:/]):([\p{L}+-][\p{L}\p{N}_+-]{0,31}):$/u;
const begun = /(?:^|[^\p{L}\p{N}:/]):([\p{L}+][\p{L}\p{N}_+-]{1,31})$/u;
/** The preceding character, the colon and 32 letters, of up to two UTF-16 units each, and the closing colon. */
const longest = 2 + 1 + 64 + 1;

/** Matches only the text near the caret, because it runs on each key. */
export function emojiSought(text: string, caret: number): PersonMatch | undefined {
  const letters = begun.exec(near(text, caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}

/** The name between two colons before the caret, as in `:tada:`. */
export function emojiWritten(text: string, caret: number): PersonMatch | undefined {
  const letters = whole.exec(near(text, caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 2, letters };
}

const near = (text: string, caret: number) => text.slice(Math.max(0, caret - longest), caret);
