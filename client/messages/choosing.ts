/** The ids of messages selected for deletion, the most recently selected last. */
import type { Message } from '../../shared/messages.ts';

export type Chosen = readonly string[];

export const maxChosen = 50;

/** Returns the same list if nothing changes. */
export function choose(chosen: Chosen, id: string, isChosen: boolean): Chosen {
  if (chosen.includes(id) === isChosen) return chosen;
  if (!isChosen) return chosen.filter((one) => one !== id);
  return chosen.length < maxChosen ? [...chosen, id] : chosen;
}

export function chooseUpTo(chosen: Chosen, rows: readonly Message[], id: string): Chosen {
  const at = (sought: string | undefined) => rows.findIndex((row) => row.id === sought);
  const [to, last] = [at(id), at(chosen.at(-1))];
  const from = last < 0 ? to : last;
  const between = rows.slice(Math.min(from, to), Math.max(from, to) + 1);
  const there = between.filter(({ deletedAt }) => deletedAt === undefined);
  // Nearest first, so that the farthest messages are left out beyond the maximum.
  const nearestFirst = from > to ? there.toReversed() : there;
  return nearestFirst.reduce((all, row) => choose(all, row.id, true), chosen);
}
