import type { Counts } from '../../shared/members.ts';
import type { App } from '../app.ts';
import { isLarge } from '../servers/large.ts';
import { countAmong, countMembers, findMemberIds } from './store.ts';

/** By large server: what was counted, and until when that is good enough. The latest comes last. */
export type Counted = Map<string, { counts: Promise<Counts>; until: number }>;

const goodFor = 10_000;
const most = 1_000;

/** How many a large server's members are; of others everyone is known. */
export async function countsIn(app: App, serverId: string): Promise<{ counts?: Counts }> {
  if (!(await isLarge(app.db, serverId))) return {};
  return { counts: await recentCounts(app, serverId) };
}

/** How many members any server has and has online; of a large one as it was some seconds ago. */
export async function countsOf(app: App, serverId: string): Promise<Counts> {
  if (await isLarge(app.db, serverId)) return recentCounts(app, serverId);
  const ids = await findMemberIds(app.db, serverId);
  return { members: ids.length, online: Object.keys(app.presence.statuses(ids)).length };
}

/** Counted once for all who ask in the same seconds: it takes everyone who is online anywhere. */
async function recentCounts({ whole, counted, clock }: App, serverId: string): Promise<Counts> {
  const known = counted.get(serverId);
  if (known !== undefined && known.until > clock.now()) return known.counts;
  counted.delete(serverId);
  forget(counted, clock.now());
  const counts = count(whole, serverId);
  counted.set(serverId, { counts, until: clock.now() + goodFor });
  counts.catch(() => counted.delete(serverId));
  return counts;
}

/** Makes room for one more. */
function forget(counted: Counted, now: number): void {
  for (const [serverId, { until }] of counted) {
    if (until > now && counted.size < most) return;
    counted.delete(serverId);
  }
}

async function count({ db, presence }: App, serverId: string): Promise<Counts> {
  const members = await countMembers(db, serverId);
  const online = await countAmong(db, serverId, presence.everyone());
  // Somebody may have come in between.
  return { members, online: Math.min(online, members) };
}
