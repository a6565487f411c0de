/** Several messages, chosen to be deleted together: their ids, the latest last. */
import type { SvelteSet } from 'svelte/reactivity';
import type { Message } from '../../shared/messages.ts';

/** So many at once. */
export const mostChosen = 50;

/** Whether it became another. */
export function choose(chosen: SvelteSet<string>, id: string, isChosen: boolean): boolean {
  if (!isChosen) return chosen.delete(id);
  if (chosen.has(id) || chosen.size >= mostChosen) return false;
  chosen.add(id);
  return true;
}

/** All from the one that was chosen last to this one. */
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
  // Nearest first: where there is an end, it is the far ones that are left.
  for (const row of from > to ? there.toReversed() : there) choose(chosen, row.id, true);
  return chosen.has(id);
}
