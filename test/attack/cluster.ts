/**
 * The system under attack: three nodes with Redis, PostgreSQL and HAProxy, as `npm run cluster` starts them, with every
 * limit at its default. HAProxy and the nodes trust client addresses forwarded by this machine, so that each attacker
 * has an address of their own.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { postmasterOf } from '../bench/cpu.ts';
import { connectionOf, type TestCluster } from '../chaos/place.ts';
import { startCluster, type Wiring } from '../../scripts/cluster/cluster.ts';
import { freePort } from '../../scripts/cluster/place.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { startStandby, type Standby } from '../support/standby.ts';
import { until } from '../support/time.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';

export interface AttackCluster extends TestCluster {
  metrics: string[];
  processes: Record<string, number | undefined>;
  /** Starts a standby that has all data of the primary. */
  openStandby(): Promise<Standby>;
  /** Ends the primary at once, as in a crash. */
  endPrimary(): Promise<void>;
  /** The database that the nodes reach. */
  readonly primary: DatabaseAddress;
  /** Leads the nodes to this database, or without it to none. */
  leadTo(primary?: DatabaseAddress): Promise<void>;
}

export async function openAttackCluster(): Promise<AttackCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-attack-'));
  // PostgreSQL can run as another user, who needs access.
  await chmod(directory, 0o755);
  const port = await freePort();
  const metrics = [await freePort(), await freePort(), await freePort()].map(
    (one) => `127.0.0.1:${one}`,
  );
  // The virtual address of the database is a link, so that no proxy adds latency.
  const way = join(directory, 'way');
  const lead = async (primary?: DatabaseAddress) => {
    await rm(way, { force: true });
    if (primary) await symlink(primary.host, way);
  };
  const wiring: Wiring = {
    async stores(node, stores) {
      if (node === 0) await lead(connectionOf(stores));
      const url = new URL(stores.databaseUrl);
      url.searchParams.set('host', way);
      return { ...stores, databaseUrl: url.href };
    },
    node: (_, at) => Promise.resolve(at),
  };
  const cluster = await startCluster({
    port,
    directory: join(directory, 'data'),
    front: '127.0.0.1',
    wiring,
    env: (node) => ({ ...settings, PARLEY_METRICS: metrics[node] ?? '' }),
    log: () => undefined,
  });
  let primary = connectionOf(cluster.stores);
  let sequelize = connect(primary, 2);
  const postmaster = await postmasterOf({ sequelize });
  const standbys: Standby[] = [];
  const wires: Proxy[] = [];
  return {
    origin: `http://localhost:${port}`,
    nodes: cluster.nodes,
    get db() {
      return { sequelize };
    },
    metrics: metrics.map((address) => `http://${address}/metrics`),
    processes: {
      ...Object.fromEntries(cluster.nodes.map(({ child }, i) => [`node ${i + 1}`, child.pid])),
      PostgreSQL: postmaster,
      Redis: cluster.stores.redis.pid,
      HAProxy: cluster.balancer.pid,
    },
    async openStandby() {
      const standby = await startStandby(primary, join(directory, 'standby'));
      standbys.push(standby);
      await standby.caughtUp();
      return standby;
    },
    async endPrimary() {
      process.kill(postmaster, 'SIGQUIT');
      await until(() => !existsSync(`/proc/${postmaster}`));
    },
    get primary() {
      return primary;
    },
    async leadTo(other) {
      await lead(other);
      if (other === undefined) return;
      primary = other;
      await sequelize.close();
      sequelize = connect(primary, 2);
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
      for (const standby of standbys) await standby.stop();
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

/** The resident memory of each node, in megabytes. */
export const memoryOf = ({ nodes }: TestCluster): Promise<number[]> =>
  Promise.all(
    nodes.map(async ({ child }) => {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
      return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
    }),
  );
