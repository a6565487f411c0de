import type { Counts } from '../../shared/members.ts';
import type { Clock } from '../node/clock.ts';
import type { Context, Node } from '../caller.ts';
import { perNode } from '../node/per-node.ts';
import { isLarge } from './large.ts';
import { countAmong, countMembers, findMemberIds } from './store.ts';

/** The counts of large servers as they were some seconds ago. */
interface MemberCounts {
  /** Counted once for all who ask in the same seconds: it takes everyone who is online anywhere. */
  recent(serverId: string, count: () => Promise<Counts>): Promise<Counts>;
  /** Of how many servers the counts are kept. */
  readonly size: number;
  reset(): void;
}

const goodForMs = 10_000;
const most = 1_000;

function openMemberCounts({ clock }: { clock: Clock }): MemberCounts {
  /** The latest comes last. */
  const kept = new Map<string, { counts: Promise<Counts>; until: number }>();
  const makeRoom = () => {
    for (const [serverId, { until }] of kept) {
      if (until > clock.now() && kept.size < most) return;
      kept.delete(serverId);
    }
  };
  return {
    recent(serverId, count) {
      const known = kept.get(serverId);
      if (known !== undefined && known.until > clock.now()) return known.counts;
      kept.delete(serverId);
      makeRoom();
      const counts = count();
      kept.set(serverId, { counts, until: clock.now() + goodForMs });
      counts.catch(() => kept.delete(serverId));
      return counts;
    },
    get size() {
      return kept.size;
    },
    reset: () => kept.clear(),
  };
}

export const memberCountsOn = perNode((node: Node) => {
  const counts = openMemberCounts(node);
  node.parts.push(counts);
  return counts;
});

/** How many a large server's members are; of others everyone is known. */
export async function countsIn(context: Context, serverId: string): Promise<{ counts?: Counts }> {
  if (!(await isLarge(context.db, serverId))) return {};
  return { counts: await recentCounts(context.node, serverId) };
}

/** How many members any server has and has online; of a large one as it was some seconds ago. */
export async function countsOf(context: Context, serverId: string): Promise<Counts> {
  const { node } = context;
  if (await isLarge(context.db, serverId)) return recentCounts(node, serverId);
  const ids = await findMemberIds(context.db, serverId);
  return { members: ids.length, online: Object.keys(node.presence.statuses(ids)).length };
}

/** The same of a server that is large. */
export const recentCounts = (node: Node, serverId: string): Promise<Counts> =>
  memberCountsOn(node).recent(serverId, () => count(node, serverId));

async function count({ ownDb: db, presence }: Node, serverId: string): Promise<Counts> {
  const members = await countMembers(db, serverId);
  const online = await countAmong(db, serverId, presence.everyone());
  // Somebody may have come in between.
  return { members, online: Math.min(online, members) };
}
