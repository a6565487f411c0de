/** One node of Parley, whole: main.ts starts it, and so does every test, on port 0. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server } from 'socket.io';
import { limits as documented } from '../shared/limits.ts';
import { openCommandQueues } from './admission/command-queues.ts';
import { openConnectionSlots } from './admission/connection-slots.ts';
import { openFairQueue, openUsage } from './admission/fair-queue.ts';
import { openPressure } from './admission/pressure.ts';
import { ownContext, type Caller, type Node } from './caller.ts';
import { openCluster } from './cluster/open.ts';
import type { LeaseTiming } from './cluster/leases.ts';
import type { Config } from './config.ts';
import { acceptSockets, allowRequest } from './connection/handshake.ts';
import { pollRevocations, sweepRevocations } from './connection/revocations.ts';
import { connect, type Ask, type DatabaseAddress, type Db } from './database/database.ts';
import { migrate, releasedMigrations } from './database/migrate.ts';
import { bounds, openShares } from './database/shares.ts';
import { features, fills } from './features.ts';
import { createPages } from './http/express.ts';
import { gateway } from './http/gateway.ts';
import { safeHeaders } from './http/headers.ts';
import { isOwnHost, refuseHost } from './http/origin.ts';
import { realClock } from './node/clock.ts';
import { inspect, watchEpoch } from './node/epoch.ts';
import { readInstance } from './node/instance.ts';
import type { Logger } from './node/log.ts';
import { newMetrics, serveMetrics } from './node/metrics.ts';
import { every } from './node/timer.ts';
import { resendPresence, untilRead } from './realtime/backpressure.ts';
import type { Io } from './realtime/chat-socket.ts';
import { drain } from './realtime/drain.ts';
import { addGauges } from './realtime/gauges.ts';
import { openRealtime } from './realtime/open.ts';
import { watchVersions } from './realtime/version-check.ts';
import { allowOneAttachment } from './realtime/attachments.ts';
import { frameInOnePiece } from './realtime/frames.ts';
import { encodeAround } from './realtime/written-once.ts';

export interface Running {
  node: Node;
  /** `http://localhost:<port>`: where it listens, seen from this machine. */
  url: string;
  close(): Promise<void>;
}

/** Brings the schema of a database up to date. @throws StartupProblem if a newer version has migrated it */
export const bringUpToDate = (where: string | DatabaseAddress, log: Logger): Promise<void> =>
  migrate(where, log, releasedMigrations(fills));

/** Opens the database, brings its schema up to date, and listens. */
export async function createApp(
  config: Config,
  log: Logger,
  where: string | DatabaseAddress,
  timing?: LeaseTiming,
  clock = realClock,
): Promise<Running> {
  await bringUpToDate(where, log);
  // Until all parts are there, there is nothing to compare a connection with.
  let admit = (_: Ask) => Promise.resolve();
  const sequelize = connect(where, undefined, (ask) => admit(ask));
  const ownDb: Db = { sequelize };
  const instance = await readInstance(ownDb);
  const http = createServer();
  const connections = new Set<Socket>();
  http.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  const io = openSocketIo(config);
  const cluster = await openCluster(config, io, log, timing, clock);
  frameInOnePiece(io);
  encodeAround(io);
  allowOneAttachment(io);
  const engine = { config, log, clock, ownDb, instance, io, cluster, metrics: newMetrics() };
  const large = features.openLargeServers(engine);
  const rooms = features.rooms(() => node);
  const { openPaces } = features;
  const realtime = openRealtime({ ...engine, large, features: rooms, openPaces });
  const { versions, reader, access, activity, delivery } = realtime;
  const isPressed = openPressure();
  const fair = { usage: openUsage(), isPressed };
  const node: Node = {
    ...engine,
    ...realtime,
    id: randomUUID(),
    parts: [versions, reader, access, activity, delivery, large],
    large,
    presence: features.openPresence({ ...engine, ...realtime, large }),
    features: { rooms, connection: features.connection(() => node) },
    handlers: features.handlers,
    session: features.sessionMiddleware(config, instance, ownDb),
    limits: cluster.limits,
    shares: openShares(bounds.commands),
    isPressed,
    queues: openCommandQueues(
      {
        reading: openFairQueue(fair, { free: 8, pressed: 1, rest: 4 }),
        doing: openFairQueue({ usage: openUsage(), isPressed }, { free: 8, pressed: 2 }),
      },
      untilRead,
    ),
    arrivals: openFairQueue(fair, { free: 4, pressed: 1, rest: 4 }),
    slots: openConnectionSlots(),
    draining: false,
  };
  admit = (ask) => inspect(node, ask);
  await features.start(node);
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
  // After the other listener, which Socket.IO puts behind itself.
  io.attach(http);
  acceptSockets(node);
  cluster.onResubscribed(() => versions.recheckAll());
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
    for (const stop of chores) await stop();
    node.presence.stop();
    metricsServer?.close();
    // What is under way is waited for, but not for ever: whoever has sent half a request, or reads nothing
    // more, may never go on.
    const closeTimer = setTimeout(() => {
      for (const connection of connections) connection.destroy();
    }, 2_000);
    await io.close();
    clearTimeout(closeTimer);
    await cluster.close();
    await sequelize.close();
  };
  return { node, url, close };
}

const openSocketIo = (config: Config): Io<Caller> =>
  new Server({
    allowRequest: allowRequest(config),
    transports: ['websocket'],
    serveClient: false,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: documented.packetBytes,
    connectTimeout: 10_000,
  });

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
