/** Whom or what one may mean who has typed an @ or a # and some letters. */
import { fold } from '../ui/fold.ts';

/** Where the sign stands, and what was typed behind it up to the caret. */
export interface PersonMatch {
  at: number;
  letters: string;
}

const begun = {
  '@': /(?:^|[^\p{L}\p{N}_<])@([^\s@]{0,32})$/u,
  '#': /(?:^|[^\p{L}\p{N}_<&/#])#([^\s#]{0,32})$/u,
};
/** The sign before it, the @ or # and 32 letters, each of which may have two halves. */
const longest = 2 + 1 + 64;

/** Only what is near the caret is looked at: this is asked with each key. */
export function soughtAt(
  text: string,
  caret: number,
  sign: '@' | '#' = '@',
): PersonMatch | undefined {
  const letters = begun[sign].exec(text.slice(Math.max(0, caret - longest), caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}

/** What somebody is called here, and elsewhere, and what is theirs alone. */
export interface Called {
  userId: string;
  name: string;
  also: string;
  handle: string;
  isAway: boolean;
}

const most = 8;

/**
 * Those whose name or username begins so, then those of whom another word does. Among each of these who spoke last
 * comes first, who is here before who is away, and then by name.
 */
export function suggest<P extends Called>(
  people: readonly P[],
  letters: string,
  /** Who spoke last comes first. */
  speakers: readonly string[],
): P[] {
  const wanted = fold(letters);
  const begins = ({ name, handle }: P) =>
    fold(name).startsWith(wanted) || fold(handle).startsWith(`@${wanted}`);
  const within = ({ name, also, handle }: P) =>
    fold(`${name} ${also} ${handle}`)
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.startsWith(wanted));
  const spoke = new Map(speakers.map((userId, i) => [userId, i]));
  const spokeAgo = ({ userId }: P) => spoke.get(userId) ?? speakers.length;
  const inOrder = people.toSorted(
    (a, b) =>
      spokeAgo(a) - spokeAgo(b) ||
      Number(a.isAway) - Number(b.isAway) ||
      a.name.localeCompare(b.name),
  );
  const first = inOrder.filter(begins);
  const rest = inOrder.filter((one) => !begins(one) && within(one));
  return [...first, ...rest].slice(0, most);
}

/** Those whose name begins so, then those of which another word does. */
export function suggestChannels<C extends { name: string }>(
  channels: readonly C[],
  letters: string,
): C[] {
  const wanted = fold(letters);
  const begins = ({ name }: C) => fold(name).startsWith(wanted);
  const within = ({ name }: C) =>
    fold(name)
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.startsWith(wanted));
  return [
    ...channels.filter(begins),
    ...channels.filter((one) => !begins(one) && within(one)),
  ].slice(0, most);
}
