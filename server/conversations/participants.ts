/** Coming in, going out, and what everyone hears of it. The rooms of all concerned must be among the work's. */
import type { Conversation } from '../../shared/conversations.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { markReadByMany } from '../reads/reads.ts';
import * as store from './store.ts';

/** The rooms that change with what a conversation is: its own, and those of everyone in it. */
export const roomsOf = async (db: Db, id: string): Promise<Room[]> => [
  timelineRoom(id),
  ...(await store.participantIds(db, id)).map(userRoom),
];

/** Who is let in, and by whom they are asked if they are: then it is a request to them. */
export interface Entering {
  hiddenUntil?: number | null;
  asked?: { by: string; userIds: ReadonlySet<string> };
}

/**
 * Lets people in. They see all that was said, and none of it counts as unread. Requests are counted apart, so
 * that strangers keep no friend out.
 * @throws ChatError conflict beyond the number of conversations, or of requests, that one person can have
 */
export async function addParticipants(
  work: RoomTransaction,
  conversationId: string,
  userIds: string[],
  { hiddenUntil = null, asked }: Entering = {},
): Promise<void> {
  const isAsked = (userId: string) => asked?.userIds.has(userId) === true;
  for (const { userId, own, requests } of await store.countFor(work.db, userIds)) {
    if (!isAsked(userId) && own >= limits.conversationsPerPerson) throw tooMany();
    if (isAsked(userId) && requests >= limits.messageRequestsPerPerson)
      throw conflict('Too many people are waiting for their answer. Try again later.');
  }
  await store.insertParticipants(
    work.db,
    userIds.map((userId) => ({
      ...{ conversationId, userId, hiddenUntil, version: work.nextVersion(userRoom(userId)) },
      ...{ requestedBy: isAsked(userId) ? (asked?.by ?? null) : null, ignored: false },
      requestedAt: isAsked(userId) ? new Date() : null,
    })),
  );
  await enterAsRead(work, conversationId, userIds);
}

const tooMany = () =>
  conflict(`One person can be in ${limits.conversationsPerPerson} conversations.`);

async function enterAsRead(
  work: RoomTransaction,
  conversationId: string,
  userIds: string[],
): Promise<void> {
  for (const { userId, position } of await markReadByMany(work.db, userIds, conversationId))
    work.grant({ userId, read: { [conversationId]: position } });
}

/** Takes somebody out, out of its room too. */
export async function removeParticipant(
  work: RoomTransaction,
  conversationId: string,
  userId: string,
  as: 'left' | 'removed',
): Promise<void> {
  await store.deleteParticipant(work.db, conversationId, userId);
  const version = work.nextVersion(userRoom(userId));
  work.change(userRoom(userId), { type: `conversation:${as}`, version, conversationId });
  work.revoke({ room: timelineRoom(conversationId), userId });
}

/** Tells everyone in it what a conversation now is; those who have just come in, that it is. */
export async function tellParticipants(
  work: RoomTransaction,
  id: string,
  newcomers: ReadonlySet<string> = new Set(),
): Promise<void> {
  const others = (await store.participantIds(work.db, id)).filter((one) => !newcomers.has(one));
  const versions = new Map(others.map((userId) => [userId, work.nextVersion(userRoom(userId))]));
  await store.updateVersions(work.db, id, versions);
  for (const [userId, conversation] of await store.findForAll(work.db, id)) {
    const type = newcomers.has(userId) ? 'conversation:created' : 'conversation:updated';
    const { version } = conversation;
    work.change(userRoom(userId), { type, version, conversation });
  }
}

/** Takes a conversation from somebody's list until something is said after this position. */
export async function hideUntil(
  work: RoomTransaction,
  { id }: Conversation,
  userId: string,
  hiddenUntil: number,
): Promise<void> {
  await write(work, id, userId, { hiddenUntil }, 'conversation:updated');
}

/** Puts a conversation on somebody's list, and makes it one of theirs if it was a request. */
export async function accept(
  work: RoomTransaction,
  id: string,
  userId: string,
  { requestedBy, ignored }: store.Standing,
): Promise<void> {
  if (requestedBy !== null) {
    const [count] = await store.countFor(work.db, [userId]);
    if ((count?.own ?? 0) >= limits.conversationsPerPerson) throw tooMany();
    await store.deleteLeaver(work.db, id, userId);
  }
  const to = { hiddenUntil: null, requestedBy: null, requestedAt: null, ignored: false };
  const type = ignored ? 'conversation:created' : 'conversation:updated';
  await write(work, id, userId, to, type);
  if (ignored) await enterAsRead(work, id, [userId]);
}

async function write(
  work: RoomTransaction,
  id: string,
  userId: string,
  to: Partial<store.Standing>,
  type: 'conversation:created' | 'conversation:updated',
): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  await store.setStanding(work.db, id, userId, { ...to, version });
  const conversation = await store.findConversation(work.db, id, userId);
  if (conversation === undefined) throw notFound();
  work.change(userRoom(userId), { type, version, conversation });
}

/** Takes a request of two from somebody's list for good. The other goes on seeing both in it. */
export async function ignore(work: RoomTransaction, id: string, userId: string): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  await store.setStanding(work.db, id, userId, { ignored: true, version });
  work.change(userRoom(userId), { type: 'conversation:left', version, conversationId: id });
  work.revoke({ room: timelineRoom(id), userId });
}
