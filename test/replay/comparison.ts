import type { ComparedMessage } from './said.ts';

export interface Comparison {
  who: string;
  held: number;
  missing: number;
  /** Extra copies of held messages. */
  doubled: number;
  /** Held after a message that comes later in the truth. */
  outOfOrder: number;
  /** Held with another position, author or body, or not part of the truth. */
  different: number;
}

/** `inOrderOf` returns the group within which order is checked; by default, all messages are one group. */
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
