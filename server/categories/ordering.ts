/** Moves categories. A moved one gets a number between its new neighbors, so that a move changes one row. */
import { between } from '../../shared/order.ts';

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
 * Places a category before the first of `others` with a position of `wanted` or more, or at the end. One that is there
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
