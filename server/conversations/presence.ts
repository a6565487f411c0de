/** People in a conversation see each other's presence, except the two of a pair with a block between them. */
import { userRoom } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import type { Context } from '../caller.ts';
import { partnersAmong } from './access.ts';
import { findPartners } from './participation-store.ts';
import { participantIds } from './store.ts';

export async function partnersSeenBy(db: Db, userId: string): Promise<string[]> {
  const partners = await findPartners(db, userId);
  return (await partnersAmong(db, [userId], partners)).get(userId) ?? [];
}

/** Announces a person who accepted a conversation to its other participants, who receive no change. */
export async function announcePresence(
  context: Context,
  id: string,
  userId: string,
): Promise<void> {
  const others = (await participantIds(context.db, id)).filter((other) => other !== userId);
  for (const [other, theirs] of await partnersAmong(context.db, others, [userId]))
    context.node.presence.announce(userRoom(other), theirs);
}
