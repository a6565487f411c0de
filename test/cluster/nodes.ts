/** The cluster parts of nodes, without the rest of them, and the presence that they report. */
import { Server } from 'socket.io';
import type { Status } from '../../shared/presence.ts';
import type { Cluster } from '../../server/cluster/cluster.ts';
import { openCluster } from '../../server/cluster/open.ts';
import type { LeaseTiming } from '../../server/cluster/leases.ts';
import { parseConfig } from '../../server/config.ts';
import { logFor } from '../support/log.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';
import { until } from '../support/time.ts';
import type { Io } from '../../server/realtime/chat-socket.ts';

/**
 * Short, but long enough for a machine that stalls: a person counts as offline when a node is late by two beats after a
 * lease was lost, or by a life while it is held.
 */
export const quick: LeaseTiming = { beat: 700, life: 8_000, leaveTtl: 500 };

export interface OpenNode extends Cluster {
  end(): Promise<void>;
}

export async function openNode(
  settings: Record<string, string>,
  timing = quick,
): Promise<OpenNode> {
  const { config } = parseConfig({ LOG_LEVEL: 'fatal', ...settings });
  const io: Io = new Server();
  const cluster = await openCluster(config, io, logFor(config), timing);
  const node: OpenNode = {
    ...cluster,
    async end() {
      open.delete(node);
      await cluster.close();
    },
  };
  open.add(node);
  return node;
}
const open = new Set<OpenNode>();
export const endAll = async () => {
  for (const node of [...open]) await node.end();
};

/** One person on each node. Returns all statuses reported of the other's person: which node is first is random. */
export async function oneEach(ann: Cluster, ben: Cluster): Promise<() => Status[]> {
  ann.leases.set('of-ann', 'online');
  ben.leases.set('of-ben', 'online');
  await until(() => ben.leases.status('of-ann') === 'online');
  await until(() => ann.leases.status('of-ben') === 'online');
  const seen = [follow(ben, 'of-ann'), follow(ann, 'of-ben')];
  return () => seen.flat();
}

export function follow(node: Cluster, userId: string): Status[] {
  const seen: Status[] = [];
  node.leases.onChange((ids) => {
    if (ids.includes(userId)) seen.push(node.leases.status(userId));
  });
  return seen;
}

export const redisSettings = async (redis?: { url: string }) => ({
  REDIS_URL: (redis ?? (await sharedRedis())).url,
  PARLEY_REDIS_PREFIX: freshPrefix(),
});
