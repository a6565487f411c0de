import type { StoredHook } from '../messages/part.ts';
import { recordAudits } from './audit.ts';

/** Records deletions of other people's messages, without their text. */
export const auditRemovals: StoredHook = async (db, { removals, serverOf }) => {
  const actions = removals.flatMap(({ user, address, message }) => {
    if (address === undefined) return [];
    const { id, authorId, timelineId } = message;
    return [{ user, address, serverId: serverOf(timelineId), userId: authorId, subjectId: id }];
  });
  await recordAudits(db, 'message:deleted', actions);
};
