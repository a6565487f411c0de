import type { Counts } from '../../shared/members.ts';
import type { App } from '../app.ts';
import { isLarge } from '../servers/large.ts';
import { countAmong, countMembers } from './store.ts';

/** By server: what was counted, and until when that is good enough. */
export type Counted = Map<string, { counts: Promise<Counts>; until: number }>;

const goodFor = 10_000;

/** How many a large server's members are; of others everyone is known. Counted once for all who ask in the same seconds. */
export async function countsIn(app: App, serverId: string): Promise<{ counts?: Counts }> {
  if (!(await isLarge(app.db, serverId))) return {};
  return { counts: await recentCounts(app, serverId) };
}

/** How many members a server has and had online, some seconds ago. */
export async function recentCounts(app: App, serverId: string): Promise<Counts> {
  const known = app.counted.get(serverId);
  if (known !== undefined && known.until > app.clock.now()) return known.counts;
  const counts = count(app.whole, serverId);
  app.counted.set(serverId, { counts, until: app.clock.now() + goodFor });
  counts.catch(() => app.counted.delete(serverId));
  return counts;
}

async function count({ db, presence }: App, serverId: string): Promise<Counts> {
  const members = await countMembers(db, serverId);
  return { members, online: await countAmong(db, serverId, presence.everyone()) };
}
