/** Adding and removing participants, and telling everyone of it. The transaction must have locked all their rooms. */
import type { Conversation } from '../../shared/conversations.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { markReadByMany } from '../reads/reads.ts';
import { countFor } from './participation-store.ts';
import * as store from './store.ts';

/** The rooms that change with a conversation: its own, and those of all participants. */
export const roomsOf = async (db: Db, id: string): Promise<Room[]> => [
  timelineRoom(id),
  ...(await store.participantIds(db, id)).map(userRoom),
];

/** How people are added. For those in `asked`, the conversation is a request that they can ignore. */
export interface Entering {
  hiddenUntil?: number | null;
  asked?: { by: string; userIds: ReadonlySet<string> };
}

/**
 * Adds participants. They see the whole history, and none of it counts as unread. Requests have a limit of their own,
 * so that strangers cannot use up the conversations that a person can have.
 * @throws ChatError conflict beyond the number of conversations, or of requests, that one person can have
 */
export async function addParticipants(
  work: RoomTransaction,
  conversationId: string,
  userIds: string[],
  { hiddenUntil = null, asked }: Entering = {},
): Promise<void> {
  const isAsked = (userId: string) => asked?.userIds.has(userId) === true;
  for (const { userId, own, requests } of await countFor(work.db, userIds)) {
    if (!isAsked(userId) && own >= quotas.conversationsPerPerson) throw tooMany();
    if (isAsked(userId) && requests >= quotas.messageRequestsPerPerson)
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
  conflict(`One person can be in ${quotas.conversationsPerPerson} conversations.`);

async function enterAsRead(
  work: RoomTransaction,
  conversationId: string,
  userIds: string[],
): Promise<void> {
  for (const { userId, position } of await markReadByMany(work.db, userIds, conversationId))
    work.grant({ userId, read: { [conversationId]: position } });
}

/** Removes a participant, and their sockets from the room. */
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

/** Tells the participants of the conversation's new state. For newcomers it is a new conversation. */
export async function changeForParticipants(
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

/** Hides a conversation from a participant's list until there is a message after this position. */
export async function hideUntil(
  work: RoomTransaction,
  { id }: Conversation,
  userId: string,
  hiddenUntil: number,
): Promise<void> {
  await write(work, id, userId, { hiddenUntil }, 'conversation:updated');
}

/** Shows a conversation in a participant's list, and accepts it if it was a request. */
export async function accept(
  work: RoomTransaction,
  id: string,
  userId: string,
  { requestedBy, ignored }: store.ParticipantState,
): Promise<void> {
  if (requestedBy !== null) {
    const [count] = await countFor(work.db, [userId]);
    if ((count?.own ?? 0) >= quotas.conversationsPerPerson) throw tooMany();
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
  to: Partial<store.ParticipantState>,
  type: 'conversation:created' | 'conversation:updated',
): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  await store.updateParticipantState(work.db, id, userId, { ...to, version });
  const conversation = await store.findConversation(work.db, id, userId);
  if (conversation === undefined) throw notFound();
  work.change(userRoom(userId), { type, version, conversation });
}

/** Ignores a request of one person: it leaves the list for good. The sender does not notice. */
export async function ignore(work: RoomTransaction, id: string, userId: string): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  await store.updateParticipantState(work.db, id, userId, { ignored: true, version });
  work.change(userRoom(userId), { type: 'conversation:left', version, conversationId: id });
  work.revoke({ room: timelineRoom(id), userId });
}
