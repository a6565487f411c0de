import type { Conversation } from '../../shared/conversations.ts';
import { conflict, forbidden, invalid } from '../../shared/failure.ts';
import { limits } from '../../shared/limits.ts';
import { groupManagerOf } from '../../shared/permissions.ts';
import type { Output, Parsed } from '../../shared/protocol.ts';
import { userRoom } from '../../shared/rooms.ts';
import { commit, type RoomTransaction } from '../commit.ts';
import type { Db } from '../database/database.ts';
import type { Caller } from '../caller.ts';
import { conversationFor } from './access.ts';
import { sharedServerLocks, requireCanMessage } from './messaging-rights.ts';
import { one } from './conversations.ts';
import {
  addParticipants,
  removeParticipant,
  roomsOf,
  changeForParticipants,
} from './participants.ts';
import { requireCanGroup, whomToAsk } from './requests.ts';
import * as store from './store.ts';

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
    // Exclusive, so that the participants stay the same while all of their rooms are written.
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
    const leaving = removed.length;
    if (added.length > 0)
      await addPeople(work, caller, group, { added, leaving, serverIds: locks.shared });
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
  if (groupManagerOf(group) !== userId)
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
  { added, leaving, serverIds }: { added: string[]; leaving: number; serverIds: string[] },
): Promise<void> {
  await requireCanMessage(work.db, caller.user.id, added, serverIds);
  await requireCanGroup(work.db, caller.user, added);
  if (participantIds.length - leaving + added.length > limits.groupPeople)
    throw conflict(`At most ${limits.groupPeople} people can be in a group.`);
  const left = await store.findLeavers(work.db, id, added);
  const asked = await whomToAsk(work, caller, added, { kind: 'group', serverIds, left });
  await addParticipants(work, id, added, { asked });
}
