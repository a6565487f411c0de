/**
 * What is attacked: three nodes with Redis, PostgreSQL and HAProxy, as `npm run cluster` starts them, with every
 * limit at its default. HAProxy and the nodes believe what this machine says of where somebody comes from, so that
 * each attacker has an address of their own.
 */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Grounds } from '../../scripts/chaos/place.ts';
import { startCluster } from '../../scripts/cluster/cluster.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import { connect } from '../../server/database/database.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';

export async function openGrounds(): Promise<Grounds> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-attack-'));
  // PostgreSQL may run as somebody else, who must get there.
  await chmod(directory, 0o755);
  const port = await freePort();
  const cluster = await startCluster({
    port,
    directory: join(directory, 'data'),
    front: '127.0.0.1',
    env: { LOG_LEVEL: 'fatal', PARLEY_LOBBY: 'off', PARLEY_DRAIN_SECONDS: '1', TRUST_PROXY: '2' },
    log: () => undefined,
  });
  const sequelize = connect(cluster.stores.databaseUrl, 2);
  const wires: Proxy[] = [];
  return {
    origin: `http://localhost:${port}`,
    nodes: cluster.nodes,
    db: { sequelize },
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

const run = promisify(execFile);

/** What each node holds in memory, in megabytes. */
export async function memoryOf({ nodes }: Grounds): Promise<number[]> {
  const sizes = nodes.map(async ({ child }) => {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)]);
    return Math.round(Number(stdout) / 1_024);
  });
  return Promise.all(sizes);
}
