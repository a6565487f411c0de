/** Adds and removes participants, and publishes it. The transaction must have locked all of their rooms. */
import type { Conversation } from '../../shared/conversations.ts';
import { conflict, notFound } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { timelineRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { admitAsRead } from '../reads/reads.ts';
import { countFor } from './participation-store.ts';
import * as store from './store.ts';

export const roomsOf = async (db: Db, id: string): Promise<Room[]> => [
  timelineRoom(id),
  ...(await store.participantIds(db, id)).map(userRoom),
];

/** For people in `asked`, the conversation is a request that they can ignore. */
export interface Entering {
  hiddenUntil?: number | null;
  asked?: { by: string; userIds: ReadonlySet<string> };
}

/**
 * Newcomers see the history as read. Requests have their own limit, so that strangers cannot use up conversations.
 * @throws ChatError conflict above either limit
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
  await admitAsRead(
    work,
    userIds.map((userId) => ({ timelineId: conversationId, userId })),
  );
}

const tooMany = () =>
  conflict(`One person can be in ${quotas.conversationsPerPerson} conversations.`);

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

/** Publishes the present state to the participants. For newcomers it is a new conversation. */
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

export async function hideUntil(
  work: RoomTransaction,
  { id }: Conversation,
  userId: string,
  hiddenUntil: number,
): Promise<void> {
  await write(work, id, userId, { hiddenUntil }, 'conversation:updated');
}

/** Lock the requester's room as well, because the change is also published there. */
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
  if (ignored) await admitAsRead(work, [{ timelineId: id, userId }]);
  if (requestedBy !== null) await updateRequester(work, id, requestedBy);
}

/** Ends a request without accepting it. Lock the requester's room as well. */
export async function closeRequest(
  work: RoomTransaction,
  id: string,
  userId: string,
  requestedBy: string,
): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  const to = { requestedBy: null, requestedAt: null, ignored: false, version };
  await store.updateParticipantState(work.db, id, userId, to);
  await updateRequester(work, id, requestedBy);
}

/** Updates `unanswered` for the requester, unless they have left. */
async function updateRequester(work: RoomTransaction, id: string, requestedBy: string) {
  if ((await store.participantIds(work.db, id)).includes(requestedBy))
    await write(work, id, requestedBy, {}, 'conversation:updated');
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

/** Ignores a request of one person: removes it from the list without the sender noticing. */
export async function ignore(work: RoomTransaction, id: string, userId: string): Promise<void> {
  const version = work.nextVersion(userRoom(userId));
  await store.updateParticipantState(work.db, id, userId, { ignored: true, version });
  work.change(userRoom(userId), { type: 'conversation:left', version, conversationId: id });
  work.revoke({ room: timelineRoom(id), userId });
}
