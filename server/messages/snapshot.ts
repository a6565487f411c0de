import type { Change } from '../../shared/changes.ts';
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Db } from '../database/database.ts';
import { findChanged, findPage } from './store.ts';
import { asChange } from './telling.ts';

/** A timeline's state is its newest page; older ones are read by position. */
export const newestMessages = (db: Db, timelineId: string): Promise<Message[]> =>
  findPage(db, timelineId, { limit: limits.pageDefault });

const mostChanges = 500;
const mostBytes = 262_144;

/**
 * The messages written, edited or deleted after version `since`, as they are now. A row carries the version
 * of its latest change and a deleted one stays as a tombstone, so no log is needed.
 */
export async function changesSince(
  db: Db,
  timelineId: string,
  since: number,
): Promise<Change[] | 'too many'> {
  const changed = await findChanged(db, timelineId, since, mostChanges + 1);
  if (changed.length > mostChanges) return 'too many';
  const changes = changed.map(asChange);
  return Buffer.byteLength(JSON.stringify(changes)) > mostBytes ? 'too many' : changes;
}
