import type { People } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { fitting } from '../realtime/fitting.ts';
import { findPeople } from './people.ts';

/** The rows of one page that fit in an answer. `found` begins with the page, and has more rows if others follow it. */
export async function pageOf<R>(
  db: Db,
  found: readonly R[],
  limit: number,
  personIds: (row: R) => readonly string[],
): Promise<{ rows: R[]; people: People; more: { after: boolean } }> {
  const rows = found.slice(0, limit);
  const people = await findPeople(db, rows.flatMap(personIds));
  const { fit, named } = fitting(rows, people, personIds);
  return { rows: rows.slice(0, fit), people: named, more: { after: fit < found.length } };
}
