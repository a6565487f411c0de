/** The cluster under test, started as by `npm run cluster`, with a proxy (wire) between all parts. */
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Db } from '../../server/database/database.ts';
import { startProxy, type Proxy } from '../support/proxy.ts';
import { socketOf, type Standby } from '../support/standby.ts';
import type { Child } from '../../scripts/cluster/child.ts';
import { builtServer, startCluster, type Wiring } from '../../scripts/cluster/cluster.ts';
import { freePort, type Stores } from '../../scripts/cluster/place.ts';
import { connect, type DatabaseAddress } from '../../server/database/connect.ts';

export interface Node {
  url: string;
  child: Child;
  toRedis: Proxy;
  toPostgres: Proxy;
  /** Wire from the load balancer. */
  wayIn: Proxy;
}

export interface TestCluster {
  origin: string;
  nodes: { url: string; child: Child }[];
  /** Connects past all wires. */
  readonly db: Db;
  /** Opens a wire for one client, to the load balancer or directly to a node. */
  wire(to?: { url: string }): Promise<Proxy>;
  close(): Promise<void>;
}

export interface ChaosCluster extends TestCluster {
  nodes: Node[];
  redis: Child;
  redisUrl: string;
  balancer: Child;
  readonly primary: DatabaseAddress;
  /** Points the nodes' wires to `standby`; new connections use it. */
  leadTo(standby: Standby): Promise<void>;
  /** Directory for data of faults; removed on `close`. */
  directory: string;
}

export const clockScript = fileURLToPath(new URL('clock.js', import.meta.url));

/** @param program arguments for Node.js, instead of the built server */
export async function openChaosCluster(program: string[] = [builtServer]): Promise<ChaosCluster> {
  const directory = await mkdtemp(join(tmpdir(), 'parley-chaos-'));
  // PostgreSQL may run as another user, which needs access.
  await chmod(directory, 0o755);
  const port = await freePort();
  const wires: { toRedis: Proxy; toPostgres: Proxy; wayIn?: Proxy }[] = [];
  const cut = () => {
    for (const { toRedis, toPostgres, wayIn } of wires)
      for (const wire of [toRedis, toPostgres, wayIn]) wire?.close();
  };
  const wiring: Wiring = {
    async stores(node, stores) {
      const toRedis = await startProxy({ port: Number(new URL(stores.redisUrl).port) });
      const toPostgres = await startProxy(socketOf(connectionOf(stores)));
      wires[node] = { toRedis, toPostgres };
      return {
        databaseUrl: `postgres://parley@127.0.0.1:${toPostgres.port}/parley`,
        redisUrl: `redis://127.0.0.1:${toRedis.port}`,
      };
    },
    async node(node, at) {
      const wayIn = await startProxy({ port: at });
      Object.assign(wires[node] ?? {}, { wayIn });
      return wayIn.port;
    },
  };
  const cluster = await startCluster({
    port,
    directory: join(directory, 'data'),
    env: () => settings,
    program: ['--import', clockScript, ...program],
    wiring,
    log: () => undefined,
  }).catch((error: unknown) => {
    cut();
    throw error;
  });
  let primary = connectionOf(cluster.stores);
  let sequelize = connect(primary, 2);
  const standbys: Standby[] = [];
  const mine: Proxy[] = [];
  return {
    origin: `http://localhost:${port}`,
    nodes: cluster.nodes.map((node, index) => ({
      ...node,
      ...(wires[index] as Required<(typeof wires)[0]>),
    })),
    redis: cluster.stores.redis,
    redisUrl: cluster.stores.redisUrl,
    balancer: cluster.balancer,
    directory,
    get db() {
      return { sequelize };
    },
    get primary() {
      return primary;
    },
    async leadTo(standby) {
      standbys.push(standby);
      for (const { toPostgres } of wires) toPostgres.leadTo(socketOf(standby.connection));
      await sequelize.close();
      primary = standby.connection;
      sequelize = connect(primary, 2);
    },
    async wire(to) {
      const proxy = await startProxy({
        port: to === undefined ? port : Number(new URL(to.url).port),
      });
      mine.push(proxy);
      return proxy;
    },
    async close() {
      await sequelize.close();
      for (const wire of mine) wire.close();
      await cluster.close();
      for (const standby of standbys) await standby.stop();
      cut();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const settings = {
  LOG_LEVEL: 'fatal',
  PARLEY_RATE_SCALE: '1000000',
  PARLEY_LOBBY: 'off',
  PARLEY_DRAIN_SECONDS: '1',
};

/** Address of the embedded PostgreSQL, which listens on a Unix socket only. */
export function connectionOf({ databaseUrl }: Stores): DatabaseAddress {
  const { searchParams, username } = new URL(databaseUrl);
  const host = searchParams.get('host') ?? '';
  const port = Number(searchParams.get('port'));
  return { host, port, user: username, database: 'parley' };
}
