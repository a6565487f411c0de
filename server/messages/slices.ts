import type { Change } from '../../shared/changes.ts';
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import { findChanged, findPage } from './store.ts';
import { asChange } from './envelopes.ts';

/** Loads the state of a timeline: its newest page, as far as it fits an answer. Older messages are read by position. */
export const newestMessages = (db: Db, timelineId: string): Promise<Message[]> =>
  findPage(db, timelineId, { limit: limits.pageDefault });

const maxChanges = 500;

/** Needs no log: a row carries the version of its latest change, and a deleted row stays as a tombstone. */
export async function changesSince(
  db: Db,
  timelineId: string,
  since: number,
): Promise<Change[] | 'too many'> {
  const changed = await findChanged(db, timelineId, since, maxChanges);
  return changed?.map(({ message, isNew }) => asChange(message, isNew)) ?? 'too many';
}
