/** Saying something of a message with one emoji. */
import { limits } from '../../shared/limits.ts';
import type { Message } from '../../shared/messages.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import type { Caller } from '../command.ts';
import { snapshot } from '../database/database.ts';
import { messageFor, timelineFor, timelineOf } from '../messages/access.ts';
import { pageOf } from '../realtime/fitting.ts';
import { reactionWriter } from './part.ts';
import { findOwn, findReactors } from './store.ts';

/** Reacts to a message, or takes that back. What is so already stays so. */
export async function react(
  { app, user }: Caller,
  { messageId: id, emoji, on }: Parsed<'message:react'>,
): Promise<Message> {
  const timelineId = await timelineOf(app.db, id);
  const ask = { emoji, on };
  return app.writer.write({ do: 'part', part: reactionWriter, user, timelineId, id, ask });
}

export async function listReactors(
  caller: Caller,
  { messageId, emoji, after, limit = limits.page }: Parsed<'reaction:list'>,
): Promise<Output<'reaction:list'>> {
  return snapshot(caller.app.db, async (db) => {
    const { deletedAt } = await messageFor(db, caller, messageId);
    const page = { after, limit: limit + 1 };
    const found = deletedAt ? [] : await findReactors(db, { messageId, emoji }, page);
    const { rows: userIds, ...rest } = await pageOf(db, found, limit, (id) => [id]);
    return { userIds, ...rest };
  });
}

/** What one said oneself of some messages of a timeline; what is not there, or not in it, is left out. */
export async function listMine(
  caller: Caller,
  { timelineId, messageIds }: Parsed<'reaction:mine'>,
): Promise<Output<'reaction:mine'>> {
  return snapshot(caller.app.db, async (db) => {
    await timelineFor(db, caller, timelineId, 'see');
    const own = await findOwn(db, caller.user.id, timelineId, messageIds);
    return { reactions: Object.fromEntries(own.map(({ messageId, emoji }) => [messageId, emoji])) };
  });
}
