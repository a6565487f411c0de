/** What somebody holds beside what is true: is all of it there, once, in order, and as it was said? */
import type { ComparedMessage } from './said.ts';

export interface Comparison {
  who: string;
  held: number;
  /** True, and not held. */
  missing: number;
  /** Held once more than once. */
  doubled: number;
  /** Held after something that comes later in truth. */
  outOfOrder: number;
  /** Held with another place, author or text, or not true at all. */
  different: number;
}

/** `inOrderOf` tells what is ordered with what; without it everything is, by place. */
export function compare(
  who: string,
  truth: readonly ComparedMessage[],
  held: readonly ComparedMessage[],
  inOrderOf: (said: ComparedMessage) => string = () => 'all',
): Comparison {
  const places = new Map(truth.map(({ id }, place) => [id, place]));
  const seen = new Set<string>();
  const furthest = new Map<string, number>();
  const result = { who, held: held.length, missing: 0, doubled: 0, outOfOrder: 0, different: 0 };
  for (const said of held) {
    const place = places.get(said.id);
    const whole = inOrderOf(said);
    const before = furthest.get(whole) ?? -1;
    if (seen.has(said.id)) result.doubled += 1;
    else if (place !== undefined && place < before) result.outOfOrder += 1;
    if (place === undefined || !isSame(truth[place], said)) result.different += 1;
    furthest.set(whole, Math.max(before, place ?? -1));
    seen.add(said.id);
  }
  result.missing = truth.filter(({ id }) => !seen.has(id)).length;
  return result;
}

export const isEqual = ({ missing, doubled, outOfOrder, different }: Comparison) =>
  missing + doubled + outOfOrder + different === 0;

const isSame = (one: ComparedMessage | undefined, other: ComparedMessage) =>
  one?.position === other.position && one.authorId === other.authorId && one.body === other.body;
