/** The order that people give to things: each has a number, lower comes first, and it is the same for everybody. */
export const byPlace = (
  a: { position: number; id: string },
  b: { position: number; id: string },
): number => a.position - b.position || a.id.localeCompare(b.id);

/** A place between two, below the last, or above the first. */
export function between(above: number | undefined, below: number | undefined): number {
  if (below === undefined) return (above ?? 0) + 1;
  return above === undefined ? below - 1 : (above + below) / 2;
}
