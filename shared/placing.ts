/** Lists of ids that a person orders. No Zod here, so that the browser can load it. */

/** Returns `all`, with those in `ordered` first, in that order. */
export function inOrder(ordered: readonly string[], all: readonly string[]): string[] {
  const [placed, there] = [new Set(ordered), new Set(all)];
  return [...ordered.filter((id) => there.has(id)), ...all.filter((id) => !placed.has(id))];
}

/** Returns `ids` with `id` before another one, or at the end if that one is undefined or missing. */
export function withPlaced(
  ids: readonly string[],
  { id, before }: { id: string; before?: string | undefined },
): string[] {
  if (id === before && ids.includes(id)) return [...ids];
  const others = ids.filter((other) => other !== id);
  const at = before === undefined ? -1 : others.indexOf(before);
  return at < 0 ? [...others, id] : others.toSpliced(at, 0, id);
}
