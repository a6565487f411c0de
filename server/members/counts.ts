import type { Counts } from '../../shared/members.ts';
import type { Clock } from '../node/clock.ts';
import type { Context, Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';
import { isLarge } from './large.ts';
import { countAmong, countMembers, findMemberIds } from './store.ts';

/** Counts of large servers, shared by all callers of some seconds, because counting takes everyone online anywhere. */
interface MemberCounts {
  recent(serverId: string, count: () => Promise<Counts>): Promise<Counts>;
  readonly size: number;
  reset(): void;
}

const goodForMs = 10_000;
const maxServers = 1_000;

function openMemberCounts({ clock }: { clock: Clock }): MemberCounts {
  /** The most recent is last. */
  const cache = new Map<string, { counts: Promise<Counts>; until: number }>();
  const makeRoom = () => {
    for (const [serverId, { until }] of cache) {
      if (until > clock.now() && cache.size < maxServers) return;
      cache.delete(serverId);
    }
  };
  return {
    recent(serverId, count) {
      const known = cache.get(serverId);
      if (known !== undefined && known.until > clock.now()) return known.counts;
      cache.delete(serverId);
      makeRoom();
      const counts = count();
      cache.set(serverId, { counts, until: clock.now() + goodForMs });
      counts.catch(() => cache.delete(serverId));
      return counts;
    },
    get size() {
      return cache.size;
    },
    reset: () => cache.clear(),
  };
}

export const memberCountsOn = perNode((node: Node) => {
  const counts = openMemberCounts(node);
  node.parts.push(counts);
  return counts;
});

/** Counts the members of a large server only. In others, clients know all members. */
export async function countsIn(context: Context, serverId: string): Promise<{ counts?: Counts }> {
  if (!(await isLarge(context.db, serverId))) return {};
  return { counts: await recentCounts(context.node, serverId) };
}

export async function countsOf(context: Context, serverId: string): Promise<Counts> {
  const { node } = context;
  if (await isLarge(context.db, serverId)) return recentCounts(node, serverId);
  const ids = await findMemberIds(context.db, serverId);
  return { members: ids.length, online: Object.keys(node.presence.statuses(ids)).length };
}

export const recentCounts = (node: Node, serverId: string): Promise<Counts> =>
  memberCountsOn(node).recent(serverId, () => count(node, serverId));

async function count({ ownDb: db, presence }: Node, serverId: string): Promise<Counts> {
  const members = await countMembers(db, serverId);
  const online = await countAmong(db, serverId, presence.everyone());
  // A person can join between the two statements.
  return { members, online: Math.min(online, members) };
}
