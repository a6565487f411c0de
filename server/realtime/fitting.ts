/** How many rows fit one answer, with the people whom they name. */
import type { People } from '../../shared/people.ts';
import { jsonBytes } from './json-bytes.ts';

/**
 * So many bytes of rows, with the people whom they name, are in one part of a room, or one page of a list. That leaves room in an answer for who
 * of these people is online, which takes less than half of what they take, and for what else the answer says.
 */
export const budget = { partBytes: 131_072 };

/** So many bytes of people come with one row, or one change, however little else fits. */
const peopleBytes = 131_072;

/**
 * How many of these rows fit an answer with the people whom they name, and those people. It is one at least, with its
 * people: of a private channel with hundreds of members of the longest names, not all.
 */
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

/** Of these people, one after the other, as many as fit. */
export function fittingPeople(
  people: People,
  most = peopleBytes,
): { named: People; bytes: number } {
  const named: People = {};
  let bytes = 0;
  for (const [id, person] of Object.entries(people)) {
    const more = jsonBytes({ [id]: person });
    if (bytes + more > most) break;
    bytes += more;
    named[id] = person;
  }
  return { named, bytes };
}

/** Those of these people whose ids these are. A bot comes with its owner. */
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
