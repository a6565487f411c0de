/** Strangers, and people who left the group before, get a request. Once answered, it counts as a conversation. */
import { Conversation } from '../../shared/conversations.ts';
import { conflict, forbidden } from '../../shared/failure.ts';
import { quotas } from '../../shared/quotas.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { findPeople } from '../people/people.ts';
import { commit, type Locks, type RoomTransaction } from '../commit.ts';
import { attempt } from '../node/attempt.ts';
import type { Db } from '../database/database.ts';
import { friendsAmong } from '../friends/friends.ts';
import type { Caller, Context } from '../caller.ts';
import type { StoredHook } from '../messages/part.ts';
import { conversationFor } from './access.ts';
import { colleaguesAmong } from './messaging-rights.ts';
import { accept, closeRequest, type Entering } from './participants.ts';
import { announcePresence } from './presence.ts';
import * as store from './store.ts';

interface Asking {
  kind: Conversation['kind'];
  /** The locked servers. */
  serverIds: string[];
  /** People who left the group before. */
  left?: string[];
}

/**
 * Returns the people who would receive the conversation as a request. Charges the caller for them and for colleagues.
 * @throws ChatError conflict, if too many of the caller's requests are unanswered; rate_limited
 */
export async function whomToAsk(
  { db }: RoomTransaction,
  { node, user }: Caller,
  otherIds: string[],
  { kind, serverIds, left = [] }: Asking,
): Promise<NonNullable<Entering['asked']>> {
  const friends = new Set((await friendsAmong(db, [user.id], otherIds)).get(user.id));
  const others = otherIds.filter((id) => !friends.has(id));
  const areColleagues = await colleaguesAmong(
    db,
    others.map((otherId) => ({ user, otherId })),
    serverIds,
  );
  const asked = otherIds.filter(
    (id) => left.includes(id) || !(friends.has(id) || areColleagues(user.id, id)),
  );
  if (asked.length > 0) {
    // Without other unanswered requests, a group of any size is allowed.
    const unanswered = await store.countUnanswered(db, user.id);
    const maxUnanswered = quotas.unansweredStarts * node.config.PARLEY_RATE_SCALE;
    if (unanswered > 0 && unanswered + asked.length > maxUnanswered)
      throw conflict('Many people haven’t answered you yet. Wait until some of them have.');
  }
  // Includes colleagues, or one member could fill the conversation lists of a whole server, or of one colleague.
  const charged = [...new Set([...others, ...left])];
  if (charged.length > 0) await node.limits.take('strangersDaily', user.id, charged.length);
  if (kind === 'group')
    for (const id of charged) await node.limits.take('groupsWithOne', `${user.id} ${id}`);
  return { by: user.id, userIds: new Set(asked) };
}

/** @throws ChatError forbidden for a guest, if one of these people is registered */
export async function requireCanGroup(
  db: Db,
  { kind }: Pick<Caller['user'], 'kind'>,
  otherIds: string[],
): Promise<void> {
  if (kind !== 'guest') return;
  const people = await findPeople(db, otherIds);
  if (otherIds.some((id) => people[id]?.kind === 'registered'))
    throw forbidden('Guests can’t add people who have an account. Create one to do so.');
}

export async function acceptConversation(
  caller: Caller,
  { conversationId: id }: Parsed<'conversation:accept'>,
): Promise<Output<'conversation:accept'>> {
  const { db, user } = caller;
  await conversationFor(db, { user }, id);
  await answer(caller, user.id, id);
  const conversation = await conversationFor(db, { user }, id);
  return {
    conversation,
    people: await findPeople(db, personIdsIn(Conversation)(conversation)),
  };
}

export const acceptByWriting: StoredHook = async (_db, { unanswered }) =>
  unanswered.length === 0
    ? undefined
    : {
        afterCommit: (context) =>
          Promise.all(
            unanswered.map(({ user, timelineId }) =>
              attempt(context.node, 'answer', () => answer(context, user.id, timelineId)),
            ),
          ),
      };

async function answer(context: Context, userId: string, id: string): Promise<void> {
  const isAccepted = await commit(context, locksOf(userId, id), async (work) => {
    const state = await store.findParticipantState(work.db, id, userId);
    if (state === undefined || state.requestedBy === null || state.ignored) return false;
    await accept(work, id, userId, state);
    return true;
  });
  if (isAccepted) await announcePresence(context, id, userId);
}

/** Closes all requests to a former guest, including ignored ones, so that their senders do not wait for an answer. */
export async function closeRequestsTo(context: Context, userId: string): Promise<void> {
  for (const id of await store.findRequestsTo(context.db, userId))
    await commit(context, locksOf(userId, id), async (work) => {
      const state = await store.findParticipantState(work.db, id, userId);
      if (state?.requestedBy) await closeRequest(work, id, userId, state.requestedBy);
    });
}

/** Locks the conversation (shared), so that the participants of a group stay the same meanwhile. */
const locksOf = (userId: string, id: string): Locks => ({
  shared: [id],
  rooms: async (db) => {
    const { requestedBy = null } = (await store.findParticipantState(db, id, userId)) ?? {};
    return [userId, ...(requestedBy === null ? [] : [requestedBy])].map(userRoom);
  },
});
