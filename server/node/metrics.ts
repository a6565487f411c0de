/** What operators see of a node, for Prometheus. Labels are names of ours: nobody's ids, nothing that a client says. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { UserKind } from '../../shared/permissions.ts';
import type { App } from '../app.ts';
import { attempt } from './attempt.ts';

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

export type Metrics = ReturnType<typeof newMetrics>;

export function newMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    commands: new Histogram({
      name: 'parley_command_seconds',
      help: 'How long commands took, by name and by what came of them: ok, or the code of the failure',
      labelNames: ['command', 'result'],
      buckets: fast,
      registers,
    }),
    delivery: new Histogram({
      name: 'parley_delivery_seconds',
      help: 'From a message’s createdAt, by the database’s clock, until this node told its listeners',
      buckets: fast,
      registers,
    }),
    changes: new Histogram({
      name: 'parley_changes_per_packet',
      help: 'How many changes went out to a room together',
      buckets: sizes,
      registers,
    }),
    flushes: new Histogram({
      name: 'parley_flush_size',
      help: 'How many writes of messages were committed together',
      buckets: sizes,
      registers,
    }),
    entries: new Counter({
      name: 'parley_entries_total',
      help: 'Answers to entering or syncing a room: snapshot, changes, current, gone',
      labelNames: ['room', 'status'],
      registers,
    }),
    losses: new Counter({
      name: 'parley_losses_found_total',
      help: 'Head checks that found this node’s listeners behind the database',
      registers,
    }),
    rejections: new Counter({
      name: 'parley_unhandled_rejections_total',
      help: 'Promises that were rejected while nothing awaited them: each is a fault of this program',
      registers,
    }),
    closed: new Counter({
      name: 'parley_sockets_closed_total',
      help: 'Sockets that were closed, by Socket.IO’s reason',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** What is not counted as it happens, but looked at when somebody asks. */
export function watchNode({ io, writer, db, cluster, metrics }: App): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers: [metrics.registry],
      collect() {
        this.set(read());
      },
    });
  const { pool } = db.sequelize.connectionManager as unknown as { pool: Pool };
  gauge('parley_queue_depth', 'Writes of messages that wait', () => writer.depth());
  gauge('parley_rooms', 'Rooms with listeners here', () => io.of('/').adapter.rooms.size);
  gauge('parley_database_connections_used', 'Connections in use', () => pool.using);
  gauge('parley_database_waiting', 'Who waits for a connection', () => pool.waiting);
  gauge('parley_hears_others', '1 while this node hears the others', () => +cluster.isSubscribed());
  new Gauge({
    name: 'parley_sockets',
    help: 'Open sockets, by the kind of account',
    labelNames: ['kind'],
    registers: [metrics.registry],
    collect() {
      const counts: Record<UserKind, number> = { guest: 0, registered: 0, bot: 0 };
      for (const { data } of io.of('/').sockets.values()) counts[data.caller.user.kind] += 1;
      for (const [kind, count] of Object.entries(counts)) this.set({ kind }, count);
    },
  });
}

/** Sequelize's, as far as it is looked at. */
interface Pool {
  using: number;
  waiting: number;
}

/** Its collectors can never be stopped, so all nodes of this process share them. */
const ofProcess = new Registry();

/** Answers `GET /metrics`, at an address of its own that nobody outside should reach. */
export async function serveMetrics(app: App): Promise<Server | undefined> {
  const { config, metrics } = app;
  if (config.PARLEY_METRICS === undefined) return undefined;
  const { hostname, port } = new URL(`http://${config.PARLEY_METRICS}`);
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
  const registry = Registry.merge([ofProcess, metrics.registry]);
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void attempt(app, 'metrics', () => registry.metrics()).then((read) => {
      if (read.ok)
        response.writeHead(200, { 'content-type': registry.contentType }).end(read.value);
      else response.writeHead(500).end();
    });
  });
  server.listen(Number(port || 80), hostname);
  await once(server, 'listening');
  return server;
}
