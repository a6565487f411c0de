/** Metrics of a node for Prometheus. Labels are fixed names: no ids, and no text of clients. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Config } from '../config.ts';
import { attempt } from './attempt.ts';
import type { Logger } from './log.ts';

const fast = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const sizes = [1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000];

export type Metrics = ReturnType<typeof newMetrics>;

export const addGauge = (
  { registry }: Metrics,
  [name, help]: [name: string, help: string],
  read: () => number,
): Gauge =>
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });

export function newMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    commands: new Histogram({
      name: 'parley_command_seconds',
      help: 'Duration of commands, by name and result: ok, or the error code',
      labelNames: ['command', 'result'],
      buckets: fast,
      registers,
    }),
    delivery: new Histogram({
      name: 'parley_delivery_seconds',
      help: 'Time from a message’s createdAt (clock of the database) to its emission on this node',
      buckets: fast,
      registers,
    }),
    changes: new Histogram({
      name: 'parley_changes_per_packet',
      help: 'Changes of a room in one packet',
      buckets: sizes,
      registers,
    }),
    flushes: new Histogram({
      name: 'parley_flush_size',
      help: 'Message writes in one commit',
      buckets: sizes,
      registers,
    }),
    entries: new Counter({
      name: 'parley_entries_total',
      help: 'Answers to entering or syncing a room, by status: snapshot, changes, current, gone',
      labelNames: ['room', 'status'],
      registers,
    }),
    losses: new Counter({
      name: 'parley_losses_found_total',
      help: 'Version checks that found the clients of this node behind the database',
      registers,
    }),
    rejections: new Counter({
      name: 'parley_unhandled_rejections_total',
      help: 'Unhandled promise rejections; each is a bug in Parley',
      registers,
    }),
    closed: new Counter({
      name: 'parley_sockets_closed_total',
      help: 'Closed sockets, by Socket.IO’s reason',
      labelNames: ['reason'],
      registers,
    }),
  };
}

/** The default collectors can never be stopped, so all nodes of this process share them. */
const ofProcess = new Registry();

interface Needs {
  config: Config;
  log: Logger;
  metrics: Metrics;
}

/** Serves `GET /metrics` at a separate address, which must not be reachable from outside. */
export async function serveMetrics(node: Needs): Promise<Server | undefined> {
  const { config, metrics } = node;
  if (config.PARLEY_METRICS === undefined) return undefined;
  const { hostname, port } = new URL(`http://${config.PARLEY_METRICS}`);
  if (ofProcess.getMetricsAsArray().length === 0) collectDefaultMetrics({ register: ofProcess });
  const registry = Registry.merge([ofProcess, metrics.registry]);
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    void attempt(node, 'metrics', () => registry.metrics()).then((read) => {
      if (read.ok)
        response.writeHead(200, { 'content-type': registry.contentType }).end(read.value);
      else response.writeHead(500).end();
    });
  });
  server.listen(Number(port || 80), hostname);
  await once(server, 'listening');
  return server;
}
