/** Which emoji somebody looks for who has typed a colon and two letters or more. */
import type { PersonMatch } from '../mentions/suggest.ts';

/** Such a name, written whole and closed by a second colon. */
const whole = /(?:^|[^\p{L}\p{N}:/]):([\p{L}+-][\p{L}\p{N}_+-]{0,31}):$/u;
const begun = /(?:^|[^\p{L}\p{N}:/]):([\p{L}+][\p{L}\p{N}_+-]{1,31})$/u;
/** The sign before a colon, the colon and 32 letters, each of which may have two halves. */
const longest = 2 + 1 + 64 + 1;

/** Only what is near the caret is looked at: this is asked with each key. */
export function emojiSought(text: string, caret: number): PersonMatch | undefined {
  const letters = begun.exec(near(text, caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}

/** What stands between two colons before the caret, as in `:tada:`. */
export function emojiWritten(text: string, caret: number): PersonMatch | undefined {
  const letters = whole.exec(near(text, caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 2, letters };
}

const near = (text: string, caret: number) => text.slice(Math.max(0, caret - longest), caret);
