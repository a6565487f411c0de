import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { readTransaction } from '../database/database.ts';
import { messageFor, timelineFor } from '../messages/access.ts';
import { pageOf } from '../people/pages.ts';
import type { Caller } from '../caller.ts';
import { findOwn, findReactors } from './store.ts';

export async function listReactors(
  caller: Caller,
  { messageId, emoji, after, limit = limits.page }: Parsed<'reaction:list'>,
): Promise<Output<'reaction:list'>> {
  return readTransaction(caller.db, async (db) => {
    const { deletedAt } = await messageFor(db, caller, messageId);
    const page = { after, limit: limit + 1 };
    const found = deletedAt ? [] : await findReactors(db, { messageId, emoji }, page);
    const { rows: userIds, ...rest } = await pageOf(db, found, limit, (id) => [id]);
    return { userIds, ...rest };
  });
}

/** Leaves out messages that are deleted or not in the timeline. */
export async function listMine(
  caller: Caller,
  { timelineId, messageIds }: Parsed<'reaction:mine'>,
): Promise<Output<'reaction:mine'>> {
  return readTransaction(caller.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const own = await findOwn(db, caller.user.id, timelineId, messageIds);
    return { reactions: Object.fromEntries(own.map(({ messageId, emoji }) => [messageId, emoji])) };
  });
}
