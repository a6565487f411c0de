/** The order that people gave to things; the same for everybody. */
export const byPlace = (
  a: { position: number; id: string },
  b: { position: number; id: string },
): number => a.position - b.position || a.id.localeCompare(b.id);
