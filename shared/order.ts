/** Sorts by the position that people chose, lower first, then by id, so that the order is the same for everyone. */
export const byPlace = (
  a: { position: number; id: string },
  b: { position: number; id: string },
): number => a.position - b.position || a.id.localeCompare(b.id);

/** Returns a position between two, below the last, or above the first. */
export function between(above: number | undefined, below: number | undefined): number {
  if (below === undefined) return (above ?? 0) + 1;
  return above === undefined ? below - 1 : (above + below) / 2;
}

/** An item of a list in an order that people chose. */
export interface Placed {
  id: string;
  position: number;
}

export const lastPlace = (others: readonly Placed[]): number =>
  Math.max(0, ...others.map(({ position }) => position)) + 1;

export interface Move<T> {
  position: number;
  /** Mostly empty: the rows to renumber because no number was left between two of them. */
  renumbered: T[];
}

/**
 * Places an item before the first of `others` with a position of `wanted` or more, or at the end. One that is there
 * already, at `now`, stays, so that a repeated request moves nothing.
 */
export function moveTo<T extends Placed>(
  others: readonly T[],
  wanted: number,
  now?: number,
): Move<T> {
  const found = others.findIndex(({ position }) => position >= wanted);
  const at = found === -1 ? others.length : found;
  const [above, below] = [others[at - 1]?.position, others[at]?.position];
  if (now !== undefined && isBetween(now, above, below)) return { position: now, renumbered: [] };
  const position = between(above, below);
  if (isBetween(position, above, below)) return { position, renumbered: [] };
  const evenly = others.map((one, i) => ({ ...one, position: i + 1 }));
  const renumbered = evenly.filter(({ position }, i) => position !== others[i]?.position);
  return { position: at + 0.5, renumbered };
}

const isBetween = (place: number, above = -Infinity, below = Infinity) =>
  above < place && place < below;
