import type { Config } from '../config.ts';
import { realClock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import type { Cluster, NodeIo } from './cluster.ts';
import type { LeaseTiming } from './leases.ts';
import { joinByRedis } from './redis.ts';
import { standAlone } from './single-node.ts';

/** Joins the other nodes if REDIS_URL is set. A Redis that does not answer delays the start by two seconds at most. */
export async function openCluster(
  config: Config,
  io: NodeIo,
  log: Logger,
  timing?: LeaseTiming,
  clock = realClock,
): Promise<Cluster> {
  const { REDIS_URL, PARLEY_REDIS_PREFIX, PARLEY_RATE_SCALE } = config;
  if (REDIS_URL === undefined) return standAlone(PARLEY_RATE_SCALE, clock);
  return joinByRedis({
    url: REDIS_URL,
    prefix: PARLEY_REDIS_PREFIX,
    scale: PARLEY_RATE_SCALE,
    clock,
    io,
    log,
    ...(timing && { timing }),
  });
}
