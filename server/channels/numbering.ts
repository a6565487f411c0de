/**
 * Numbers the channels of a category in order. Public ones are 1, 2, 3 …, and a private one has a number between two of
 * those. People who do not see a private channel find no gap, and receive nothing when it comes, moves or goes.
 */
export interface Numbered {
  id: string;
  position: number;
  private: boolean;
}

/** Numbers the channels in this order. Private ones keep their number where it fits. */
export function numbered<T extends Numbered>(order: readonly T[]): T[] {
  const done: T[] = [];
  let above = 0;
  let between: T[] = [];
  for (const one of order) {
    if (one.private) {
      between.push(one);
      continue;
    }
    done.push(...spread(between, above), { ...one, position: above + 1 });
    above += 1;
    between = [];
  }
  return [...done, ...spread(between, above)];
}

export function insertAt<T extends Numbered>(others: readonly T[], one: T, at: number): T[] {
  const above = others[at - 1]?.position ?? 0;
  const next = Math.floor(above) + 1;
  const below = Math.min(next, others[at]?.position ?? next);
  const placed = { ...one, position: (above + below) / 2 };
  return numbered([...others.slice(0, at), placed, ...others.slice(at)]);
}

/** Numbers the private channels below the public one with number `above`. */
const spread = <T extends Numbered>(these: T[], above: number): T[] =>
  these.every(({ position }, i) => isBetween(these[i - 1]?.position ?? above, position, above + 1))
    ? these
    : these.map((one, i) => ({ ...one, position: above + (i + 1) / (these.length + 1) }));

const isBetween = (above: number, place: number, below: number) => above < place && place < below;
