/** The ids of messages selected for deletion, the most recently selected last. */
import type { SvelteSet } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';

export const maxChosen = 50;

/** Returns whether the selection changed. */
export function choose(chosen: SvelteSet<string>, id: string, isChosen: boolean): boolean {
  if (!isChosen) return chosen.delete(id);
  if (chosen.has(id) || chosen.size >= maxChosen) return false;
  chosen.add(id);
  return true;
}

export function chooseUpTo(
  chosen: SvelteSet<string>,
  rows: readonly Message[],
  id: string,
): boolean {
  const at = (sought: string | undefined) => rows.findIndex((row) => row.id === sought);
  const [to, last] = [at(id), at([...chosen].at(-1))];
  const from = last < 0 ? to : last;
  const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  const there = between.filter(({ deletedAt }) => deletedAt === undefined);
  // Nearest first, so that the farthest messages are left out beyond the maximum.
  for (const row of from > to ? there.toReversed() : there) choose(chosen, row.id, true);
  return chosen.has(id);
}
