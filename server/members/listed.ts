/** The members that a server’s room lists, read once for each version of the room: they change only with it. */
import type { Counts } from '../../shared/members.ts';
import type { PresenceMap } from '../../shared/presence.ts';
import type { Db } from '../database/database.ts';
import { writeOnce } from '../realtime/written-once.ts';
import type { Node } from '../caller.ts';
import type { Presence } from '../realtime/presence.ts';
import { perNode } from '../node/per-node.ts';
import { isLarge } from './large.ts';
import { recentCounts } from './counts.ts';
import { findListedIds } from './store.ts';

interface Listed {
  userIds: string[];
  large: boolean;
  /** The presence map, valid while no status changes. */
  presence?: { version: number; map: PresenceMap };
}

interface ListedMembers {
  at(serverId: string, version: number, read: () => Promise<Listed>): Promise<Listed>;
  readonly size: number;
  reset(): void;
}

const maxServers = 100;

function openListedMembers(): ListedMembers {
  /** The most recently used is last. */
  const cache = new Map<string, { version: number; listed: Promise<Listed> }>();
  return {
    at(serverId, version, read) {
      const known = cache.get(serverId);
      cache.delete(serverId);
      const now = known?.version === version ? known : { version, listed: read() };
      cache.set(serverId, now);
      const [oldest] = cache.keys();
      if (cache.size > maxServers && oldest !== undefined) cache.delete(oldest);
      now.listed.catch(() => {
        if (cache.get(serverId) === now) cache.delete(serverId);
      });
      return now.listed;
    },
    get size() {
      return cache.size;
    },
    reset: () => cache.clear(),
  };
}

const listedMembersOn = perNode((node: Node) => {
  const listed = openListedMembers();
  node.parts.push(listed);
  return listed;
});

/** Ephemeral data of a server's room: the presence of its listed members, and the counts of a large server. */
export async function standingBeside(
  node: Node,
  serverId: string,
  { version, among }: { version?: number; among?: string[] | undefined } = {},
): Promise<() => { presence: PresenceMap; presenceVersion: number; counts?: Counts }> {
  const { ownDb, presence } = node;
  const read = () => readListed(ownDb, serverId);
  const listed = await (version === undefined
    ? read()
    : listedMembersOn(node).at(serverId, version, read));
  const counts = listed.large ? { counts: await recentCounts(node, serverId) } : {};
  const asked = among && new Set(among);
  const some = asked && listed.userIds.filter((id) => asked.has(id));
  return () => ({
    presence: some ? presence.statuses(some) : presenceOf(presence, listed),
    presenceVersion: presence.version(),
    ...counts,
  });
}

async function readListed(db: Db, serverId: string): Promise<Listed> {
  const [userIds, large] = await Promise.all([findListedIds(db, serverId), isLarge(db, serverId)]);
  return { userIds, large };
}

function presenceOf(presence: Presence, listed: Listed): PresenceMap {
  const version = presence.version();
  if (listed.presence?.version !== version)
    listed.presence = { version, map: writeOnce(presence.statuses(listed.userIds)) };
  return listed.presence.map;
}
