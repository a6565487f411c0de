import type { Change } from '../../shared/changes.ts';
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import { findChanged, findPage } from './store.ts';
import { asChange } from './envelopes.ts';

/** A timeline's state is its newest page, or what of it fits an answer; what is older is read by position. */
export const newestMessages = (db: Db, timelineId: string): Promise<Message[]> =>
  findPage(db, timelineId, { limit: limits.pageDefault });

const maxChanges = 500;

/**
 * The messages that changed after version `since`, as they are now. A row carries the version
 * of its latest change and a deleted one stays as a tombstone, so no log is needed.
 */
export async function changesSince(
  db: Db,
  timelineId: string,
  since: number,
): Promise<Change[] | 'too many'> {
  const changed = await findChanged(db, timelineId, since, maxChanges);
  return changed?.map(({ message, isNew }) => asChange(message, isNew)) ?? 'too many';
}
