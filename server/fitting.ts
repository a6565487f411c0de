/** How many rows fit one answer, with the people whom they name. */
import type { People } from '../shared/people.ts';
import { peopleNamed } from './accounts/people.ts';
import type { Db } from './database/database.ts';
import { jsonBytes } from './json-bytes.ts';

/**
 * So many bytes of rows, with the people whom they name, are in one part of a room, or one page of a list. That leaves room in an answer for who
 * of these people is online, which takes less than half of what they take, and for what else the answer says.
 */
export const budget = { partBytes: 131_072 };

/** What fits of one page of a list; `found` is what there is from its beginning on, at least one more than the page has. */
export async function pageOf<R>(
  db: Db,
  found: readonly R[],
  limit: number,
  peopleOf: (row: R) => readonly string[],
): Promise<{ rows: R[]; people: People; more: { after: boolean } }> {
  const rows = found.slice(0, limit);
  const people = await peopleNamed(db, rows.flatMap(peopleOf));
  const { fit, named } = fitting(rows, people, peopleOf);
  return { rows: rows.slice(0, fit), people: named, more: { after: fit < found.length } };
}

/** How many of these rows fit an answer with the people whom they name, and those people. It is one at least. */
export function fitting<R>(
  rows: readonly R[],
  people: People,
  peopleOf: (row: R) => readonly string[],
): { fit: number; named: People } {
  const named: People = {};
  let left = budget.partBytes;
  for (const [fit, row] of rows.entries()) {
    const more: People = {};
    for (const id of peopleOf(row)) {
      // A bot comes with its owner.
      for (const one of [id, people[id]?.ownerId ?? id]) {
        const person = people[one];
        if (person && !(one in named)) more[one] = person;
      }
    }
    left -= jsonBytes(row) + jsonBytes(more) + 1;
    if (left < 0 && fit > 0) return { fit, named };
    Object.assign(named, more);
  }
  return { fit: rows.length, named };
}
