/** Pages of lists, with the people whom their rows name. */
import type { People } from '../../shared/people.ts';
import type { Db } from '../database/database.ts';
import { fitting } from '../realtime/fitting.ts';
import { findPeople } from './people.ts';

/** What fits of one page of a list; `found` is what there is from its beginning on, at least one more than the page has. */
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
