/** Nodes’ shares in a cluster, without the rest of them, and what they say of people. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Server } from 'socket.io';
import type { Status } from '../../shared/presence.ts';
import type { Io } from '../../server/app.ts';
import { openCluster, type Cluster } from '../../server/cluster/cluster.ts';
import type { Rhythm } from '../../server/cluster/leases.ts';
import { readConfig } from '../../server/config.ts';
import { openLog } from '../../server/log.ts';
import { freshPrefix, sharedRedis } from '../support/redis.ts';

export const quick: Rhythm = { beat: 300, life: 3_000, parting: 500 };

export interface OpenNode extends Cluster {
  end(): Promise<void>;
}

/** One node’s share in the cluster, without the rest of it. */
export async function openNode(
  settings: Record<string, string>,
  rhythm = quick,
): Promise<OpenNode> {
  const { config } = readConfig({ LOG_LEVEL: 'fatal', ...settings });
  const io: Io = new Server();
  const cluster = await openCluster(config, io, openLog(config), rhythm);
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

/** Waits until this is so. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  patience = 10_000,
): Promise<number> {
  const began = Date.now();
  while (!(await holds())) {
    if (Date.now() - began > patience)
      throw new Error(`not so after ${patience} ms: ${String(holds)}`);
    await sleep(20);
  }
  return Date.now() - began;
}

/**
 * Has a person on each of the two, seen by the other. What is returned collects what either says of the
 * other’s: which of them is the first to notice something is chance.
 */
export async function oneEach(ann: Cluster, ben: Cluster): Promise<() => Status[]> {
  ann.leases.set('of-ann', 'online');
  ben.leases.set('of-ben', 'online');
  await until(() => ben.leases.status('of-ann') === 'online');
  await until(() => ann.leases.status('of-ben') === 'online');
  const seen = [follow(ben, 'of-ann'), follow(ann, 'of-ben')];
  return () => seen.flat();
}

/** All that a node’s leases said of one person. */
export function follow(node: Cluster, userId: string): Status[] {
  const seen: Status[] = [];
  node.leases.onChange((ids) => {
    if (ids.includes(userId)) seen.push(node.leases.status(userId));
  });
  return seen;
}

export const redisSettings = async (prefix = freshPrefix()) => ({
  REDIS_URL: (await sharedRedis()).url,
  PARLEY_REDIS_PREFIX: prefix,
});
