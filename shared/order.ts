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
