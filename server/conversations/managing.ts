import type { Account } from '../../shared/accounts.ts';
import type { Conversation } from '../../shared/conversations.ts';
import { conflict, forbidden, invalid } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { keeperOf } from '../../shared/permissions.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { timelineRoom, userRoom } from '../../shared/rooms.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import { broadcastRead, markTimelineRead } from '../reads/reads.ts';
import type { Caller, Context } from '../caller.ts';
import { conversationFor } from './access.ts';
import { sharedServerLocks, requireCanMessage } from './messaging-rights.ts';
import { one } from './conversations.ts';
import {
  addParticipants,
  removeParticipant,
  hideUntil,
  ignore,
  roomsOf,
  changeForParticipants,
} from './participants.ts';
import { requireCanGroup, whomToAsk } from './requests.ts';
import * as store from './store.ts';

/** Names a group, lets people in, takes people out. What is so already changes nothing. */
export async function updateConversation(
  caller: Caller,
  { conversationId, name, addUserIds = [], removeUserIds = [] }: Parsed<'conversation:update'>,
): Promise<Output<'conversation:update'>> {
  const { db, user } = caller;
  if (addUserIds.some((id) => removeUserIds.includes(id)))
    throw invalid('You can’t add and remove the same person.', 'removeUserIds');
  const before = await conversationFor(db, caller, conversationId);
  if (before.kind === 'pair') throw notForPairs();
  // Checks before locking, so that a caller cannot lock a stranger's room. Checked again under the locks.
  await requireCanMessage(db, user.id, newIn(before, addUserIds));
  const locks = {
    shared: await sharedServerLocks(db, user.id, addUserIds),
    // Exclusive, since it writes every participant's room: who they are must stand still.
    exclusive: [conversationId],
    rooms: async (db: Db) => [...(await roomsOf(db, conversationId)), ...addUserIds.map(userRoom)],
  };
  return commit(caller, locks, async (work) => {
    const group = await conversationFor(work.db, caller, conversationId);
    if (group.kind === 'pair') throw notForPairs();
    const added = newIn(group, addUserIds);
    const removed = [...new Set(removeUserIds)].filter((id) => group.participantIds.includes(id));
    const isRenamed = name !== undefined && name !== group.name;
    if (removed.length > 0) requireCanRemove(user.id, group, removed);
    for (const userId of removed) await removeParticipant(work, conversationId, userId, 'removed');
    if (added.length > 0) await addPeople(work, caller, group, added, removed.length);
    if (isRenamed) await store.renameConversation(work.db, conversationId, name);
    if (added.length + removed.length > 0 || isRenamed)
      await changeForParticipants(work, conversationId, new Set(added));
    return one(work.db, caller, conversationId);
  });
}

const notForPairs = () => conflict('You can’t add people here. Create a group instead.');

const newIn = ({ participantIds }: Conversation, userIds: string[]): string[] =>
  [...new Set(userIds)].filter((id) => !participantIds.includes(id));

function requireCanRemove(userId: string, group: Conversation, removed: string[]): void {
  if (keeperOf(group) !== userId)
    throw forbidden(
      'Only the person who created the group can remove people; once they’ve left, the person who’s been in it longest can.',
    );
  if (removed.includes(userId))
    throw conflict('You can’t remove yourself. Leave the group instead.');
}

async function addPeople(
  work: RoomTransaction,
  caller: Caller,
  { id, participantIds }: Conversation,
  added: string[],
  removed: number,
): Promise<void> {
  await requireCanMessage(work.db, caller.user.id, added);
  await requireCanGroup(work.db, caller.user, added);
  if (participantIds.length - removed + added.length > limits.groupPeople)
    throw conflict(`At most ${limits.groupPeople} people can be in a group.`);
  await addParticipants(work, id, added, { asked: await whomToAsk(work, caller, added, id) });
}

/** For the caller alone: hides a pair until something newer is said, or ignores it if it is a request; leaves a group. */
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
    // With its last participant it ends.
    if (participantIds.length === 1) await store.deleteConversation(work.db, id);
    else {
      await store.insertLeaver(work.db, id, user.id);
      await changeForParticipants(work, id);
    }
  });
}

/** Takes somebody out of all groups. What two have said to each other stays theirs. */
export async function leaveGroups(context: Context, user: Account): Promise<void> {
  for (const { id, kind } of await store.findConversations(context.db, user.id))
    if (kind === 'group') await leave({ ...context, user }, id);
}
