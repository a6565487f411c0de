/** A complete node of Parley. main.ts starts one, and so does every test, on port 0. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { ownContext, type Node } from './caller.ts';
import type { LeaseTiming } from './cluster/leases.ts';
import type { Config } from './config.ts';
import { acceptSockets } from './connection/accept.ts';
import { pollRevocations, sweepRevocations } from './connection/revocations.ts';
import { features } from './features.ts';
import { createPages } from './http/express.ts';
import { gateway } from './http/gateway.ts';
import { safeHeaders } from './http/headers.ts';
import { isOwnHost, refuseHost } from './http/origin.ts';
import { realClock } from './node/clock.ts';
import { watchEpoch } from './node/epoch.ts';
import type { Logger } from './node/log.ts';
import { serveMetrics } from './node/metrics.ts';
import { every } from './node/timer.ts';
import { resendPresence } from './realtime/backpressure.ts';
import { drain } from './realtime/drain.ts';
import { addGauges } from './realtime/gauges.ts';
import { watchVersions } from './realtime/version-check.ts';
import { openNode } from './open-node.ts';
import type { DatabaseAddress } from './database/connect.ts';

export interface Running {
  node: Node;
  /** The address on this machine: `http://localhost:<port>`. */
  url: string;
  close(): Promise<void>;
}

export async function createApp(
  config: Config,
  log: Logger,
  where: string | DatabaseAddress,
  timing?: LeaseTiming,
  clock = realClock,
): Promise<Running> {
  const opened = await openNode(config, log, where, timing, clock);
  const { node } = opened;
  const http = createServer();
  const connections = new Set<Socket>();
  http.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  const pages = createPages(node, features.signIn(node));
  const answersApi = gateway(node);
  const answersFiles = features.files(node);
  const protect = safeHeaders(config);
  http.on('request', (request, response) => {
    protect(request, response, () => {
      if (!isOwnHost(config, request.headers.host)) refuseHost(request, response);
      else if (!answersApi(request, response) && !answersFiles(request, response))
        pages(request, response);
    });
  });
  // Attached after the `request` listener, which Socket.IO takes over and calls for paths other than its own.
  node.io.attach(http);
  acceptSockets(node);
  addGauges(node);
  const metricsServer = await serveMetrics(node);
  const url = await listen(http, config);
  const chores: (() => unknown)[] = [
    pollRevocations(node),
    watchVersions(node),
    watchEpoch(node),
    node.backpressure.watch((socket) => resendPresence(node, socket)),
    every(node, 60_000, 'sweep', () => sweepRevocations(node)),
    ...features.chores.map((start) => start(ownContext(node))),
  ];
  const close = async () => {
    await drain(node, config.PARLEY_DRAIN_SECONDS);
    // Stops all chores in the same tick, so that none starts a new round while another is awaited.
    await Promise.all(chores.map(async (stop) => stop()));
    features.end(node);
    metricsServer?.close();
    // Waits at most two seconds: a connection with half a request, or with a peer that reads nothing, would never end.
    const closeTimer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, 2_000);
    await node.io.close();
    clearTimeout(closeTimer);
    await opened.close();
  };
  return { node, url, close };
}

async function listen(http: HttpServer, { PORT, HOST }: Config): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(PORT, HOST, () => {
      http.off('error', reject);
      resolve();
    });
  });
  return `http://localhost:${(http.address() as AddressInfo).port}`;
}
