/** This node's cache of which servers are large. Refreshed every ten seconds, so it can be wrong until then. */
import { serverRoom } from '../../shared/rooms.ts';
import type { Db } from '../database/database.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { LargeServers } from '../realtime/large-servers.ts';
import type { Context } from '../caller.ts';
import { listedMembers } from './members.ts';
import { findLarge } from './large-store.ts';

export function openLargeServers({ ownDb }: { ownDb: Db }): LargeServers {
  const known = new Set<string>();
  return {
    has: (id) => known.has(id),
    add: (id) => void known.add(id),
    forget: (id) => void known.delete(id),
    async read() {
      const now = new Set(await findLarge(ownDb));
      for (const id of now) known.add(id);
      return [...known].filter((id) => !now.has(id));
    },
    reset: () => known.clear(),
  };
}

export const watchLarge = (context: Context): StopWork =>
  every(context.node, 10_000, 'large', () => refreshLarge(context));

export async function refreshLarge(context: Context): Promise<void> {
  for (const id of await context.node.large.read()) await forget(context, id);
}

/** Sends the presence of all members, because this node has left out ordinary members until now. */
async function forget(context: Context, serverId: string): Promise<void> {
  const { node } = context;
  node.large.forget(serverId);
  const room = serverRoom(serverId);
  if (!node.sockets.hasAny(room)) return;
  const userIds = (await listedMembers(context.db, serverId)).map(({ userId }) => userId);
  const users = node.presence.statuses(userIds);
  const version = node.presence.version();
  node.sockets.emitLossy([room], 'presence', { room, users, version, full: true });
}
