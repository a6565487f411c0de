/** Which emoji somebody looks for who has typed a colon and two letters or more. */
import type { PersonMatch } from '../mentions/suggest.ts';

const begun = /(?:^|[^\p{L}\p{N}:/]):([\p{L}+][\p{L}\p{N}_+-]{1,31})$/u;
/** The sign before a colon, the colon and 32 letters, each of which may have two halves. */
const longest = 2 + 1 + 64;

/** Only what is near the caret is looked at: this is asked with each key. */
export function emojiSought(text: string, caret: number): PersonMatch | undefined {
  const letters = begun.exec(text.slice(Math.max(0, caret - longest), caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}
