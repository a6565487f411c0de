/**
 * What is attacked: three nodes with Redis, PostgreSQL and HAProxy, as `npm run cluster` starts them, with every
 * limit at its default. HAProxy and the nodes believe what this machine says of where somebody comes from, so that
 * each attacker has an address of their own.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postmasterOf } from '../bench/cpu.ts';
import type { Grounds as Common } from '../chaos/place.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import { connect } from '../../server/database/database.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

export interface Grounds extends Common {
  /** Where each node tells what it measured. */
  metrics: string[];
  /** All that serves people, by what it is. */
  processes: Record<string, number | undefined>;
}

export async function openGrounds(): Promise<Grounds> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-attack-'));
  // PostgreSQL may run as somebody else, who must get there.
  await chmod(directory, 0o755);
  const port = await freePort();
  const metrics = [await freePort(), await freePort(), await freePort()].map(
    (one) => `127.0.0.1:${one}`,
  );
  const cluster = await startCluster({
    port,
    directory: join(directory, 'data'),
    front: '127.0.0.1',
    env: (node) => ({ ...settings, PARLEY_METRICS: metrics[node] ?? '' }),
    log: () => undefined,
  });
  const sequelize = connect(cluster.stores.databaseUrl, 2);
  const wires: Proxy[] = [];
  return {
    origin: `http://localhost:${port}`,
    nodes: cluster.nodes,
    db: { sequelize },
    metrics: metrics.map((address) => `http://${address}/metrics`),
    processes: {
      ...Object.fromEntries(cluster.nodes.map(({ child }, i) => [`node ${i + 1}`, child.pid])),
      PostgreSQL: await postmasterOf({ sequelize }),
      Redis: cluster.stores.redis.pid,
      HAProxy: cluster.balancer.pid,
    },
    async wire(to) {
      const wire = await startProxy({ port: to ? Number(new URL(to.url).port) : port });
      wires.push(wire);
      return wire;
    },
    async close() {
      await sequelize.close();
      for (const wire of wires) wire.close();
      await cluster.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const settings = {
  LOG_LEVEL: 'fatal',
  PARLEY_LOBBY: 'off',
  PARLEY_DRAIN_SECONDS: '1',
  TRUST_PROXY: '2',
};

/** What each node holds in memory, in megabytes. */
export const memoryOf = ({ nodes }: Common): Promise<number[]> =>
  Promise.all(
    nodes.map(async ({ child }) => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
    }),
  );
