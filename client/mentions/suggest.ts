/** Whom one may mean who has typed an @ and some letters. */
import { fold } from '../ui/fold.ts';

/** Where the @ stands, and what was typed behind it up to the caret. */
export interface Sought {
  at: number;
  letters: string;
}

const begun = /(?:^|[^\p{L}\p{N}_<])@([^\s@]{0,32})$/u;
/** The sign before an @, the @ and 32 letters, each of which may have two halves. */
const longest = 2 + 1 + 64;

/** Only what is near the caret is looked at: this is asked with each key. */
export function soughtAt(text: string, caret: number): Sought | undefined {
  const letters = begun.exec(text.slice(Math.max(0, caret - longest), caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}

/** What somebody is called here, and elsewhere, and what is theirs alone. */
export interface Called {
  userId: string;
  name: string;
  also: string;
  handle: string;
}

const most = 8;

/** Those whose name begins so, then those of whom another word does. */
export function suggest<P extends Called>(people: readonly P[], letters: string): P[] {
  const wanted = fold(letters);
  const begins = ({ name }: P) => fold(name).startsWith(wanted);
  const within = ({ name, also, handle }: P) =>
    fold(`${name} ${also} ${handle}`)
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.startsWith(wanted));
  const first = people.filter(begins);
  const rest = people.filter((one) => !begins(one) && within(one));
  return [...first, ...rest].slice(0, most);
}
