/** Coming in, going out, and what everyone hears of it. The rooms of all concerned must be among the work's. */
import type { Conversation } from '../../shared/conversations.ts';
import { conflict } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { Work } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { markReadByMany } from '../reads/reads.ts';
import * as store from './store.ts';

/** The rooms that change with what a conversation is: its own, and those of everyone in it. */
export const roomsOf = async (db: Db, id: string): Promise<Room[]> => [
  timelineRoom(id),
  ...(await store.participantIds(db, id)).map(userRoom),
];

/**
 * Lets people in. They see all that was said, and none of it counts as unread.
 * @throws ChatError conflict beyond the number of conversations that one person can be in
 */
export async function admit(
  work: Work,
  conversationId: string,
  userIds: string[],
  hiddenUntil: number | null = null,
): Promise<void> {
  const counts = await store.countFor(work.db, userIds);
  for (const count of counts.values())
    if (count >= limits.conversationsPerPerson)
      throw conflict(`One person can be in ${limits.conversationsPerPerson} conversations.`);
  await store.insertParticipants(
    work.db,
    userIds.map((userId) => {
      return { conversationId, userId, hiddenUntil, version: work.next(userRoom(userId)) };
    }),
  );
  for (const { userId, position } of await markReadByMany(work.db, userIds, conversationId))
    work.moveIn({ userId, read: { [conversationId]: position } });
}

/** Takes somebody out, out of its room too. */
export async function dismiss(
  work: Work,
  conversationId: string,
  userId: string,
  as: 'left' | 'removed',
): Promise<void> {
  await store.deleteParticipant(work.db, conversationId, userId);
  const version = work.next(userRoom(userId));
  work.tell(userRoom(userId), { type: `conversation:${as}`, version, conversationId });
  work.moveOut({ of: timelineRoom(conversationId), userId });
}

/** Tells everyone in it what a conversation now is; those who have just come in, that it is. */
export async function tellParticipants(
  work: Work,
  id: string,
  newcomers: ReadonlySet<string> = new Set(),
): Promise<void> {
  const others = (await store.participantIds(work.db, id)).filter((one) => !newcomers.has(one));
  const versions = new Map(others.map((userId) => [userId, work.next(userRoom(userId))]));
  await store.updateVersions(work.db, id, versions);
  for (const [userId, conversation] of await store.findForAll(work.db, id)) {
    const type = newcomers.has(userId) ? 'conversation:created' : 'conversation:updated';
    const { version } = conversation;
    work.tell(userRoom(userId), { type, version, conversation });
  }
}

/** Takes a conversation from somebody's list until something is said after this position; null puts it there. */
export async function setHidden(
  work: Work,
  conversation: Conversation,
  userId: string,
  hiddenUntil: number | null,
): Promise<Conversation> {
  const version = work.next(userRoom(userId));
  await store.setHidden(work.db, conversation.id, userId, { hiddenUntil, version });
  const changed = { ...conversation, hiddenUntil, version };
  work.tell(userRoom(userId), { type: 'conversation:updated', version, conversation: changed });
  return changed;
}
