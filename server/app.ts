/** One node of Parley, whole: main.ts starts it, and so does every test, on port 0. */
import { randomUUID } from 'node:crypto';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import PQueue from 'p-queue';
import { Server } from 'socket.io';
import { limits as documented } from '../shared/limits.ts';
import type { ClientToServerEvents, ServerToClientEvents } from '../shared/protocol.ts';
import { sessionMiddleware, type SessionMiddleware } from './accounts/cookies.ts';
import { accountRoutes } from './accounts/routes.ts';
import { watchGuests } from './accounts/former-guests.ts';
import { hashedAtOnce } from './accounts/bcrypt-threads.ts';
import { openGuessLine, type GuessLine } from './accounts/guess-line.ts';
import { sweepResets } from './accounts/resets.ts';
import { sweepSessions } from './accounts/sessions.ts';
import { sweepAudit } from './audit/audit.ts';
import { appForStrangers } from './node/app-for.ts';
import { every } from './node/timer.ts';
import { realClock, type Clock } from './node/clock.ts';
import { openCluster, type Cluster, type NodeEvents } from './cluster/cluster.ts';
import type { RateLimits } from './cluster/limits.ts';
import type { LeaseTiming } from './cluster/leases.ts';
import type { ChatSocket, SocketData } from './command.ts';
import { openCommandQueues, type CommandQueues } from './admission/command-queues.ts';
import { openFairQueue, openUsage, type FairQueue } from './admission/fair-queue.ts';
import type { Config } from './config.ts';
import { openConnectionSlots, type ConnectionSlots } from './admission/connection-slots.ts';
import { connect, type Ask, type DatabaseAddress, type Db } from './database/database.ts';
import { bounds, openShares, type Shares } from './database/shares.ts';
import { migrate, releasedMigrations } from './database/migrate.ts';
import { drain } from './realtime/drain.ts';
import { inspect, watchEpoch, type EpochPart } from './node/epoch.ts';
import { features, fills, type Features } from './features.ts';
import { sweepDays } from './files/allowance.ts';
import { watchFiles } from './files/sweep.ts';
import { openFileShares, type FileShares } from './files/sharing.ts';
import { openDownloads, openUploads, type TransferQueues } from './admission/transfer-queues.ts';
import { requireFilesReadable, watchMoves } from './files/moving.ts';
import { openObjectStore, type ObjectStore } from './files/object-store.ts';
import { openPictures, type Pictures } from './files/pictures.ts';
import { fileRequests } from './files/serving.ts';
import { createPages } from './http/express.ts';
import { allowOneAttachment } from './realtime/attachments.ts';
import { frameInOnePiece } from './realtime/frames.ts';
import { encodeAround } from './realtime/written-once.ts';
import { gateway } from './http/gateway.ts';
import { acceptSockets, allowRequest } from './connection/handshake.ts';
import { safeHeaders } from './http/headers.ts';
import { readInstance, type Instance } from './node/instance.ts';
import type { Logger } from './node/log.ts';
import { openPressure, type Pressure } from './admission/pressure.ts';
import { openRealtime, type Realtime } from './realtime/open.ts';
import { watchVersions } from './realtime/version-check.ts';
import { newMetrics, serveMetrics, watchNode, type Metrics } from './node/metrics.ts';
import { watchEnded } from './messages/ended.ts';
import { flush } from './messages/flush.ts';
import { openKnownScopes, type KnownScopes } from './messages/known-scopes.ts';
import { watchPurges } from './messages/purges.ts';
import { openWriter, type Writer } from './messages/writer.ts';
import { openMemberCounts, type MemberCounts } from './members/counts.ts';
import { openListedMembers, type ListedMembers } from './members/listed.ts';
import { sweepBans } from './members/bans.ts';
import { watchLists } from './members/lists.ts';
import { isOwnHost, refuseHost } from './http/origin.ts';
import { startPresence, type Presence } from './presence/presence.ts';
import { openPushSender } from './push/sending.ts';
import { pollRevocations, sweepRevocations } from './connection/revocations.ts';
import { watchSearch } from './search/filling.ts';
import {
  openLargeServersCache,
  watchLarge,
  type LargeServersCache,
} from './servers/large-servers-cache.ts';
import { createLobby } from './servers/lobby.ts';
import { resendPresence, untilRead } from './realtime/backpressure.ts';
import { sweepTransfers } from './transfers/offers.ts';

const minute = 60_000;

export type Io = Server<ClientToServerEvents, ServerToClientEvents, NodeEvents, SocketData>;

/** What every part of a node may need of the others. */
export interface App extends Realtime {
  /** The node itself, where `app` is what one account, or a stranger, may use of it: app-for.ts. */
  whole: App;
  shares: Shares;
  /** Shares of the connections that move the bytes of files. */
  fileShares: FileShares;
  queues: CommandQueues<ChatSocket>;
  /** Whether the machine has more to do than processors. */
  isPressed: Pressure;
  /** Those who come in wait here for their turn. */
  arrivals: FairQueue;
  /** Where finished files go, if they don’t stay in the database. */
  objects: ObjectStore | undefined;
  uploads: TransferQueues;
  downloads: TransferQueues;
  pictures: Pictures;
  config: Config;
  log: Logger;
  clock: Clock;
  db: Db;
  /** Differs with each start of a process. */
  node: string;
  instance: Instance;
  io: Io;
  cluster: Cluster;
  limits: RateLimits;
  slots: ConnectionSlots;
  presence: Presence;
  features: Features;
  /** What knows something of the database, and forgets it when the database is another one. */
  parts: EpochPart[];
  large: LargeServersCache;
  memberCounts: MemberCounts;
  listedMembers: ListedMembers;
  /** On its way out: it takes in nobody any more. */
  draining: boolean;
  metrics: Metrics;
  writer: Writer;
  /** Of the timelines that are written. */
  scopes: KnownScopes;
  /** Only so many passwords are hashed at a time: each takes a core for a while. */
  hashing: PQueue;
  /** Guesses at passwords from busy networks wait here for their turn to be compared. */
  guesses: GuessLine;
  session: SessionMiddleware;
}

export interface Running {
  app: App;
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
  const db: Db = { sequelize };
  const instance = await readInstance(db);
  const objects = await openObjectStore(config.PARLEY_FILES, log);
  await requireFilesReadable(db, objects);
  const http = createServer();
  const connections = new Set<Socket>();
  http.on('connection', (connection) => {
    connections.add(connection);
    connection.once('close', () => connections.delete(connection));
  });
  const io: Io = new Server({
    allowRequest: allowRequest(config),
    transports: ['websocket'],
    serveClient: false,
    perMessageDeflate: false,
    httpCompression: false,
    maxHttpBufferSize: documented.packetBytes,
    connectTimeout: 10_000,
  });
  const cluster = await openCluster(config, io, log, timing, clock);
  frameInOnePiece(io);
  encodeAround(io);
  allowOneAttachment(io);
  const metrics = newMetrics();
  const large = openLargeServersCache({ db });
  const memberCounts = openMemberCounts({ clock });
  const listedMembers = openListedMembers();
  const scopes = openKnownScopes();
  const core = { io, db, log, clock, instance, metrics, cluster, large, features };
  const realtime = openRealtime(core);
  const { sockets, versions, reader, access, activity, delivery } = realtime;
  const isPressed = openPressure();
  const fair = { usage: openUsage(), isPressed };
  const app: App = {
    get whole() {
      return app;
    },
    ...core,
    ...realtime,
    parts: [
      versions,
      reader,
      access,
      activity,
      delivery,
      large,
      memberCounts,
      listedMembers,
      scopes,
    ],
    isPressed,
    shares: openShares(bounds.commands),
    fileShares: openFileShares(isPressed),
    queues: openCommandQueues(
      {
        reading: openFairQueue(fair, { free: 8, pressed: 1, rest: 4 }),
        doing: openFairQueue({ usage: openUsage(), isPressed }, { free: 8, pressed: 2 }),
      },
      untilRead,
    ),
    arrivals: openFairQueue(fair, { free: 4, pressed: 1, rest: 4 }),
    objects,
    uploads: openUploads(),
    downloads: openDownloads(),
    pictures: openPictures(isPressed),
    config,
    node: randomUUID(),
    limits: cluster.limits,
    slots: openConnectionSlots(),
    presence: startPresence({ ...core, sockets, delivery }),
    memberCounts,
    listedMembers,
    draining: false,
    scopes,
    writer: openWriter((batch, locking) => {
      metrics.flushes.observe(batch.length);
      return flush(app, batch, locking);
    }, clock),
    hashing: new PQueue({ concurrency: hashedAtOnce }),
    guesses: openGuessLine(),
    session: sessionMiddleware(config, instance, db),
  };
  admit = (ask) => inspect(app, ask);
  await createLobby(app);
  await large.read();
  const pages = createPages(appForStrangers(app), accountRoutes(appForStrangers(app)));
  const answersApi = gateway(appForStrangers(app));
  const answersFiles = fileRequests(appForStrangers(app));
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
  acceptSockets(app);
  cluster.onResubscribed(() => app.versions.recheckAll());
  watchNode(app);
  const metricsServer = await serveMetrics(app);
  const url = await listen(http, config);
  const beats = [
    pollRevocations(app),
    watchVersions(app),
    watchEpoch(app),
    app.backpressure.watch((socket) => resendPresence(app, socket)),
    watchLarge(app),
    watchEnded(app),
    watchPurges(app),
    watchFiles(app),
    watchMoves(app),
    watchLists(app),
    watchSearch(app),
    watchGuests(app),
    every(app, minute, 'sweep', () => sweepSessions(app)),
    every(app, minute, 'sweep', () => sweepResets(app)),
    every(app, minute, 'sweep', () => sweepRevocations(app)),
    every(app, minute, 'sweep', () => sweepAudit(app)),
    every(app, minute, 'sweep', () => sweepTransfers(app)),
    every(app, minute, 'sweep', () => sweepBans(app)),
    every(app, minute, 'sweep', () => sweepDays(app)),
  ];
  const pushes = openPushSender(app);
  const close = async () => {
    await drain(app, config.PARLEY_DRAIN_SECONDS);
    for (const stop of beats) stop();
    await pushes.close();
    app.presence.stop();
    app.pictures.close();
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
  return { app, url, close };
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
