import type { Permission } from '../../shared/permissions.ts';
import { channelFor } from '../channels/access.ts';
import type { Caller } from '../command.ts';
import type { Db } from '../database/database.ts';

/** A timeline that the caller holds a permission in, and the server whose rights stand over it. */
export interface TimelineAccess {
  timelineId: string;
  serverId: string;
}

/**
 * The only way to a timeline.
 * @throws ChatError not_found if the caller may not know of it, forbidden if they may see it but not do this
 */
export async function timelineFor(
  db: Db,
  caller: Pick<Caller, 'user'>,
  timelineId: string,
  permission: Permission,
): Promise<TimelineAccess> {
  const { server } = await channelFor(db, caller, timelineId, permission);
  return { timelineId, serverId: server.id };
}
