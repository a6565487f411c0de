import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';
import { timelineFor } from '../messages/access.ts';
import { serversSeenBy } from '../servers/access.ts';

/**
 * That the caller may choose something for this target: everything, by their own id, or a place that they may see.
 * @throws ChatError not_found
 */
export async function requireTarget(
  db: Db,
  caller: Pick<Caller, 'user'>,
  targetId: string,
): Promise<void> {
  if (targetId === caller.user.id) return;
  const servers = await serversSeenBy(db, caller, [targetId]);
  if (!servers.has(targetId)) await timelineFor(db, caller, targetId, 'see');
}
