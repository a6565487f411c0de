/** Bounds the rows of one answer, and the people that they name, by their size. */
import type { People } from '../../shared/people.ts';
import { jsonBytes } from './json-bytes.ts';

/** Bytes of rows with their people in one answer. Presence, in the rest, takes less than half the bytes of people. */
export const budget = { partBytes: 131_072 };

/** Bytes of people that can come with one row or one change, even if nothing else fits. */
const peopleBytes = 131_072;

/** `fit`: how many rows fit, at least one, even if some of its people do not: a private channel can have hundreds. */
export function fitting<R>(
  rows: readonly R[],
  people: People,
  personIds: (row: R) => readonly string[],
): { fit: number; named: People } {
  const named: People = {};
  let left = budget.partBytes;
  for (const [fit, row] of rows.entries()) {
    left -= jsonBytes(row) + 1;
    const more = without(named, withOwners(people, personIds(row)));
    const { named: fitted, bytes } = fittingPeople(more, fit === 0 ? peopleBytes : left);
    if (fit > 0 && (left < 0 || Object.keys(fitted).length < Object.keys(more).length))
      return { fit, named };
    left -= bytes;
    Object.assign(named, fitted);
  }
  return { fit: rows.length, named };
}

export function fittingPeople(
  people: People,
  maxBytes = peopleBytes,
): { named: People; bytes: number } {
  const named: People = {};
  let bytes = 0;
  for (const [id, person] of Object.entries(people)) {
    const more = jsonBytes({ [id]: person });
    if (bytes + more > maxBytes) break;
    bytes += more;
    named[id] = person;
  }
  return { named, bytes };
}

export function withOwners(people: People, ids: readonly string[]): People {
  const chosen: People = {};
  for (const id of ids)
    for (const one of [id, people[id]?.ownerId ?? id]) {
      const person = people[one];
      if (person) chosen[one] = person;
    }
  return chosen;
}

const without = (known: People, people: People): People =>
  Object.fromEntries(Object.entries(people).filter(([id]) => !(id in known)));
