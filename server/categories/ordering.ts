/**
 * Moving categories in the order that people give: what is moved gets a number between its
 * new neighbours, so that a move changes one row.
 */
import { between } from '../../shared/order.ts';

export interface Placed {
  id: string;
  position: number;
}

/** Below all others. */
export const lastPlace = (others: readonly Placed[]): number =>
  Math.max(0, ...others.map(({ position }) => position)) + 1;

export interface Move<T> {
  position: number;
  /** Mostly empty: those that are renumbered because no number was left between two of them. */
  renumbered: T[];
}

/**
 * Moves something before the first of `others` (in their order) that is at `wanted` or beyond, or below them
 * all. If it stands there already, at `now`, it stays: a request that comes twice moves nothing the second time.
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
