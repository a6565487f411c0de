import type { Acquaintance } from '../people/acquaintances.ts';

/** Maximum of known people; the server limits its own results. */
const maxKnown = 40;

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();

interface Sources {
  chosen: readonly Acquaintance[];
  known: readonly Acquaintance[];
  /** Ids of known people that the server found for this search. */
  found: readonly string[];
  others: readonly Acquaintance[];
  sought: string;
}

/** The selected people first, then known ones, then others with that name, without duplicates. */
export function choices({ chosen, known, found, others, sought }: Sources): Acquaintance[] {
  const fitting = known.filter(
    ({ id, name, also }) =>
      found.includes(id) || folded(`${name} ${also}`).includes(folded(sought)),
  );
  const isChosen = new Set(chosen.map(({ id }) => id));
  const offered = [
    ...chosen,
    ...fitting.filter(({ id }) => !isChosen.has(id)).slice(0, maxKnown),
    ...others,
  ];
  const once = new Map<string, Acquaintance>();
  for (const one of offered) if (!once.has(one.id)) once.set(one.id, one);
  return [...once.values()];
}
