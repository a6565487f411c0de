import { v7 } from 'uuid';
import { Conversation } from '../../shared/conversations.ts';
import type { Entry } from '../../shared/entry.ts';
import { invalid, notFound } from '../../shared/failure.ts';
import { personIdsIn } from '../../shared/person-ids.ts';
import { limits } from '../../shared/limits.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { timelineRoom, userRoom } from '../../shared/rooms.ts';
import { findPeople } from '../people/people.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import { readTransaction, type Db } from '../database/database.ts';
import type { Ending } from '../endings.ts';
import { sharedServers } from '../members/access.ts';
import { broadcastRead, markTimelineRead } from '../reads/reads.ts';
import { subscribe, unsubscribe } from '../realtime/subscribe.ts';
import { pageOf } from '../people/pages.ts';
import type { Caller, Context } from '../caller.ts';
import { conversationFor, partnersAmong } from './access.ts';
import { needNoRequest, requireCanMessage, sharedServerLocks } from './messaging-rights.ts';
import {
  accept,
  addParticipants,
  changeForParticipants,
  ignore,
  hideUntil,
  roomsOf,
  removeParticipant,
} from './participants.ts';
import { findParticipations, findPartnersAmong } from './participation-store.ts';
import { closeRequestsTo, requireCanGroup, whomToAsk } from './requests.ts';
import { conversationsOf } from './slices.ts';
import * as store from './store.ts';

export async function createConversation(
  caller: Caller,
  { userIds, name, id = v7() }: Parsed<'conversation:create'>,
): Promise<Output<'conversation:create'>> {
  const others = [...new Set(userIds)].filter((userId) => userId !== caller.user.id);
  const [first] = others;
  if (first === undefined) throw invalid('Choose someone else to message.', 'userIds');
  if (others.length >= limits.groupPeople)
    throw invalid(`At most ${limits.groupPeople} people can be in a group.`, 'userIds');
  if (others.length === 1 && name !== undefined)
    throw invalid('Only a group can have a name.', 'name');
  return others.length === 1
    ? startPair(caller, first, id)
    : startGroup(caller, others, { id, name: name ?? null });
}

/** Two people have at most one, whichever of them starts it. The other does not see it before the first message. */
async function startPair(caller: Caller, otherId: string, id: string) {
  const { db, user } = caller;
  if ((await store.findPair(db, user.id, otherId)) === undefined)
    await requireCanMessage(db, user.id, [otherId]);
  const locks = {
    shared: await sharedServerLocks(db, user.id, [otherId]),
    // Locks both rooms, so that the second of two concurrent starts finds the conversation of the first.
    rooms: [userRoom(user.id), userRoom(otherId)],
  };
  return commit(caller, locks, async (work) => {
    const known = await store.findPair(work.db, user.id, otherId);
    if (known !== undefined) {
      await show(work, known, user.id);
      await askIfUnused(work, caller, { id: known, otherId }, locks.shared);
      return one(work.db, caller, known);
    }
    await requireCanMessage(work.db, user.id, [otherId], locks.shared);
    const asked = await whomToAsk(work, caller, [otherId], {
      kind: 'pair',
      serverIds: locks.shared,
    });
    await work.create(timelineRoom(id));
    const between: [string, string] = [user.id, otherId];
    await store.insertConversation(work.db, { id, name: null, creatorId: user.id, between });
    await addParticipants(work, id, [user.id]);
    await addParticipants(work, id, [otherId], { hiddenUntil: 0, asked });
    await changeForParticipants(work, id, new Set(between));
    return one(work.db, caller, id);
  });
}

/** Called again with the same id, it returns the same group. */
async function startGroup(
  caller: Caller,
  otherIds: string[],
  { id, name }: Pick<Conversation, 'id' | 'name'>,
) {
  const { db, user } = caller;
  const everyone = [user.id, ...otherIds];
  const isStored = (await store.findConversation(db, id, user.id)) !== undefined;
  if (!isStored) await requireCanMessage(db, user.id, otherIds);
  const locks = {
    shared: await sharedServerLocks(db, user.id, otherIds),
    rooms: everyone.map(userRoom),
  };
  return commit(caller, locks, async (work) => {
    const stored = await store.findConversation(work.db, id, user.id);
    if (stored?.creatorId === user.id) return withPeople(work.db, stored);
    await requireCanMessage(work.db, user.id, otherIds, locks.shared);
    await requireCanGroup(work.db, user, otherIds);
    const asked = await whomToAsk(work, caller, otherIds, {
      kind: 'group',
      serverIds: locks.shared,
    });
    await work.create(timelineRoom(id));
    await store.insertConversation(work.db, { id, name, creatorId: user.id });
    await addParticipants(work, id, everyone, { asked });
    await changeForParticipants(work, id, new Set(everyone));
    return one(work.db, caller, id);
  });
}

/** Turns a pair without messages into a request if its people have ceased to be friends or colleagues. */
async function askIfUnused(
  work: RoomTransaction,
  caller: Caller,
  { id: conversationId, otherId }: { id: string; otherId: string },
  serverIds: string[],
): Promise<void> {
  const { db } = work;
  const { user } = caller;
  const [mine] = await findParticipations(db, [{ userId: user.id, conversationId }]);
  if (!mine?.isUnused) return;
  if ((await needNoRequest(db, [{ user, otherId }], serverIds))(user.id, otherId)) return;
  // Without a shared server there is nothing to ask by: the pair stays, but cannot be written in.
  const shared = await sharedServers(db, [{ userId: user.id, otherId }], serverIds);
  if (shared.length === 0) return;
  await whomToAsk(work, caller, [otherId], { kind: 'pair', serverIds });
  const asked = { requestedBy: user.id, requestedAt: new Date() };
  const version = work.nextVersion(userRoom(otherId));
  await store.updateParticipantState(db, conversationId, otherId, { ...asked, version });
  await changeForParticipants(work, conversationId);
}

/** Shows a conversation in a person's list if it was hidden, and accepts it if it is a request. */
async function show(work: RoomTransaction, id: string, userId: string): Promise<void> {
  const state = await store.findParticipantState(work.db, id, userId);
  if (state === undefined) throw notFound();
  if (state.hiddenUntil !== null || state.requestedBy !== null)
    await accept(work, id, userId, state);
}

export async function listConversations(
  { db, user }: Caller,
  { after, limit = limits.page }: Parsed<'conversation:list'>,
): Promise<Output<'conversation:list'>> {
  return readTransaction(db, async (db) => {
    const found = await conversationsOf(db, user.id, { after, limit: limit + 1 });
    const { rows: conversations, ...rest } = await pageOf(
      db,
      found,
      limit,
      personIdsIn(Conversation),
    );
    return { conversations, ...rest };
  });
}

export const openConversation = (
  caller: Caller,
  { conversationId, since }: Parsed<'conversation:open'>,
): Promise<Entry<'timeline'>> =>
  subscribe(caller, timelineRoom(conversationId), { since }, () =>
    conversationFor(caller.db, caller, conversationId),
  );

export async function closeConversation(
  caller: Caller,
  { conversationId }: Parsed<'conversation:close'>,
): Promise<Record<string, never>> {
  await unsubscribe(caller, timelineRoom(conversationId), () =>
    conversationFor(caller.db, caller, conversationId),
  );
  return {};
}

/** Only for the caller: hides a pair until its next message, ignores it if it is a request, or leaves a group. */
export async function deleteConversation(
  caller: Caller,
  { conversationId }: Parsed<'conversation:delete'>,
): Promise<Record<string, never>> {
  const { kind } = await conversationFor(caller.db, caller, conversationId);
  await (kind === 'pair' ? hide(caller, conversationId) : leave(caller, conversationId));
  return {};
}

async function hide(caller: Caller, id: string): Promise<void> {
  const { user } = caller;
  const locks = { rooms: [timelineRoom(id), userRoom(user.id)] };
  const news = await commit(caller, locks, async (work) => {
    const conversation = await conversationFor(work.db, caller, id);
    const { last, news } = await markTimelineRead(work.db, user.id, id);
    if (conversation.request) await ignore(work, id, user.id);
    else if (conversation.hiddenUntil !== last) await hideUntil(work, conversation, user.id, last);
    return news;
  });
  broadcastRead(caller.node, user.id, news);
}

async function leave(caller: Context & Pick<Caller, 'user'>, id: string): Promise<void> {
  const { user } = caller;
  const locks = { exclusive: [id], rooms: (db: Db) => roomsOf(db, id) };
  await commit(caller, locks, async (work) => {
    const { participantIds } = await conversationFor(work.db, caller, id);
    await removeParticipant(work, id, user.id, 'left');
    if (participantIds.length === 1) await store.deleteConversation(work.db, id);
    else {
      await store.insertLeaver(work.db, id, user.id);
      await changeForParticipants(work, id);
    }
  });
}

/** A former guest leaves all groups. Conversations of two people stay, but no longer as requests to the guest. */
export const conversationEnding: Ending = {
  async account(context, user) {
    await closeRequestsTo(context, user.id);
    for (const { id, kind } of await store.findConversations(context.db, user.id))
      if (kind === 'group') await leave({ ...context, user }, id);
  },
};

/** Sends each other's presence to two people of a conversation, after a block is made or lifted. */
export async function announcePresenceOfPair(
  context: Context,
  one: string,
  other: string,
): Promise<void> {
  if ((await findPartnersAmong(context.db, [one], [other])).length === 0) return;
  const seen = (await partnersAmong(context.db, [one], [other])).has(one);
  for (const [userId, theirs] of [
    [one, other],
    [other, one],
  ] as const)
    context.node.presence.announce(userRoom(userId), [theirs], seen ? undefined : 'offline');
}

export const one = async (db: Db, caller: Caller, id: string) =>
  withPeople(db, await conversationFor(db, caller, id));

const withPeople = async (db: Db, conversation: Conversation) => ({
  conversation,
  people: await findPeople(db, personIdsIn(Conversation)(conversation)),
});
