/** Suggests people or channels after an @ or # and some letters. */
import { foldAccents } from '../ui/fold-accents.ts';

/** The index of the sign, and the text between it and the caret. */
export interface PersonMatch {
  at: number;
  letters: string;
}

const begun = {
  '@': /(?:^|[^\p{L}\p{N}_<])@([^\s@]{0,32})$/u,
  '#': /(?:^|[^\p{L}\p{N}_<&/#])#([^\s#]{0,32})$/u,
};
/** The preceding character, the sign and 32 letters, of up to two UTF-16 units each. */
const longest = 2 + 1 + 64;

/** Matches only the text near the caret, because it runs on each key. */
export function soughtAt(
  text: string,
  caret: number,
  sign: '@' | '#' = '@',
): PersonMatch | undefined {
  const letters = begun[sign].exec(text.slice(Math.max(0, caret - longest), caret))?.[1];
  return letters === undefined ? undefined : { at: caret - letters.length - 1, letters };
}

/** A person's name here, their name elsewhere, and their handle. */
export interface MentionCandidate {
  userId: string;
  name: string;
  also: string;
  handle: string;
  isAway: boolean;
}

const maxSuggested = 8;

/**
 * People whose name or username begins with the query come first, then people with another word that does. Within each:
 * latest author first, online before offline, then by name.
 */
export function suggest<P extends MentionCandidate>(
  people: readonly P[],
  letters: string,
  /** User ids, the most recent author first. */
  speakers: readonly string[],
): P[] {
  const wanted = foldAccents(letters);
  const begins = ({ name, handle }: P) =>
    foldAccents(name).startsWith(wanted) || foldAccents(handle).startsWith(`@${wanted}`);
  const within = ({ name, also, handle }: P) =>
    foldAccents(`${name} ${also} ${handle}`)
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
  return [...first, ...rest].slice(0, maxSuggested);
}

export function suggestChannels<C extends { name: string }>(
  channels: readonly C[],
  letters: string,
): C[] {
  const wanted = foldAccents(letters);
  const begins = ({ name }: C) => foldAccents(name).startsWith(wanted);
  const within = ({ name }: C) =>
    foldAccents(name)
      .split(/[^\p{L}\p{N}]+/u)
      .some((word) => word.startsWith(wanted));
  return [
    ...channels.filter(begins),
    ...channels.filter((one) => !begins(one) && within(one)),
  ].slice(0, maxSuggested);
}
