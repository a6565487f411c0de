/**
 * Who may write to whom. A conversation may be started with somebody who shares a server, and such people
 * may be added to a group. Who is in one already goes on writing, whether or not they still share one.
 */
import { notFound } from '../../shared/failure.ts';
import { mayStart } from '../../shared/permissions.ts';
import type { Db } from '../database/database.ts';
import { sharedServers } from '../members/access.ts';

/** Servers that bring somebody together with each of these people: to be relied on while they are looked at. */
export const groundBetween = async (
  db: Db,
  userId: string,
  otherIds: string[],
): Promise<string[]> => [...(await sharedServers(db, userId, otherIds)).values()];

/** @throws ChatError not_found for somebody to whom one cannot write: who that is, is not said */
export async function mustMayStart(db: Db, userId: string, otherIds: string[]): Promise<void> {
  const servers = await sharedServers(db, userId, otherIds);
  for (const otherId of otherIds)
    if (!mayStart({ shareServer: servers.has(otherId) })) throw notFound();
}
