import { Gauge } from 'prom-client';
import type { UserKind } from '../../shared/permissions.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import { addGauge, type Metrics } from '../node/metrics.ts';
import type { Io } from './chat-socket.ts';

interface Needs {
  io: Io;
  ownDb: Db;
  cluster: Cluster;
  metrics: Metrics;
}

export function addGauges({ io, ownDb, cluster, metrics }: Needs): void {
  const gauge = (name: string, help: string, read: () => number) =>
    addGauge(metrics, [name, help], read);
  const { pool } = ownDb.sequelize.connectionManager as unknown as { pool: Pool };
  gauge('parley_rooms', 'Rooms with sockets on this node', () => io.of('/').adapter.rooms.size);
  gauge('parley_database_connections_used', 'Database connections in use', () => pool.using);
  gauge(
    'parley_database_waiting',
    'Requests that wait for a database connection',
    () => pool.waiting,
  );
  gauge(
    'parley_hears_others',
    '1 while this node is subscribed to the other nodes',
    () => +cluster.isSubscribed(),
  );
  new Gauge({
    name: 'parley_sockets',
    help: 'Open sockets, by kind of account',
    labelNames: ['kind'],
    registers: [metrics.registry],
    collect() {
      const counts: Record<UserKind, number> = { guest: 0, registered: 0, bot: 0 };
      for (const { data } of io.of('/').sockets.values()) counts[data.caller.user.kind] += 1;
      for (const [kind, count] of Object.entries(counts)) this.set({ kind }, count);
    },
  });
}

interface Pool {
  using: number;
  waiting: number;
}
