/** Whom one can choose to write to, in the order in which they are offered. */
import type { Acquaintance } from '../people/acquaintances.ts';

/** Of those one knows; the server finds no more than it wants to. */
const mostKnown = 40;

const folded = (text: string) => text.normalize('NFD').replace(/\p{M}/gu, '').toLocaleLowerCase();

interface Sources {
  chosen: readonly Acquaintance[];
  known: readonly Acquaintance[];
  /** Some of those, by the server, for what is sought. */
  found: readonly string[];
  /** Others, by the server. */
  others: readonly Acquaintance[];
  sought: string;
}

/** First those who are chosen already, then whom one knows, then who else is called so; nobody twice. */
export function choices({ chosen, known, found, others, sought }: Sources): Acquaintance[] {
  const fitting = known.filter(
    ({ id, name, also }) =>
      found.includes(id) || folded(`${name} ${also}`).includes(folded(sought)),
  );
  const isChosen = new Set(chosen.map(({ id }) => id));
  const offered = [
    ...chosen,
    ...fitting.filter(({ id }) => !isChosen.has(id)).slice(0, mostKnown),
    ...others,
  ];
  const once = new Map<string, Acquaintance>();
  for (const one of offered) if (!once.has(one.id)) once.set(one.id, one);
  return [...once.values()];
}
