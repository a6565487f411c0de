/** The engine of one node: database, membership in the cluster, rooms, and the features’ state. It does not listen. */
import { randomUUID } from 'node:crypto';
import { Server } from 'socket.io';
import { limits as documented } from '../shared/limits.ts';
import { CommandQueues } from './admission/command-queues.ts';
import { openConnectionSlots } from './admission/connection-slots.ts';
import { FairQueue, newUsage } from './admission/fair-queue.ts';
import { openPressure } from './admission/pressure.ts';
import type { Caller, Node } from './caller.ts';
import { openCluster } from './cluster/open.ts';
import type { LeaseTiming } from './cluster/leases.ts';
import type { Config } from './config.ts';
import { allowRequest } from './connection/handshake.ts';
import type { Db } from './database/database.ts';
import { migrate } from './database/migrate.ts';
import { releasedMigrations } from './database/migrations.ts';
import { bounds, openShares } from './database/shares.ts';
import { features, fills } from './features.ts';
import { realClock } from './node/clock.ts';
import { inspect } from './node/epoch.ts';
import { readInstance } from './node/instance.ts';
import type { Logger } from './node/log.ts';
import { newMetrics } from './node/metrics.ts';
import { untilRead } from './realtime/backpressure.ts';
import type { Io } from './realtime/chat-socket.ts';
import { openRealtime } from './realtime/open.ts';
import { allowOneAttachment } from './realtime/attachments.ts';
import { frameInOnePiece } from './realtime/frames.ts';
import { encodeAround } from './realtime/written-once.ts';
import { connect, type Ask, type DatabaseAddress } from './database/connect.ts';

/** @throws StartupProblem if a newer version has migrated the database */
export const bringUpToDate = (where: string | DatabaseAddress, log: Logger): Promise<void> =>
  migrate(where, log, releasedMigrations(fills));

export interface OpenNode {
  node: Node;
  close(): Promise<void>;
}

export async function openNode(
  config: Config,
  log: Logger,
  where: string | DatabaseAddress,
  timing?: LeaseTiming,
  clock = realClock,
): Promise<OpenNode> {
  await bringUpToDate(where, log);
  // Admits all connections until the node is complete: `inspect` compares the epoch of a connection with the node’s.
  let admit = (_: Ask) => Promise.resolve();
  const sequelize = connect(where, undefined, (ask) => admit(ask));
  const ownDb: Db = { sequelize };
  const instance = await readInstance(ownDb);
  const objects = await features.openFiles(config, log, ownDb);
  const io = openSocketIo(config);
  const cluster = await openCluster(config, io, log, timing, clock);
  frameInOnePiece(io);
  encodeAround(io);
  allowOneAttachment(io);
  const engine = { config, log, clock, ownDb, instance, io, cluster, metrics: newMetrics() };
  const large = features.openLargeServers(engine);
  const rooms = features.rooms(() => node);
  const realtime = openRealtime({ ...engine, large, features: rooms });
  const { versions, reader, access, activity, delivery } = realtime;
  const isPressed = openPressure();
  const fair = { usage: newUsage(), isPressed };
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
    queues: new CommandQueues({
      queues: {
        reading: new FairQueue(fair, { free: 8, pressed: 1, rest: 4 }),
        doing: new FairQueue({ usage: newUsage(), isPressed }, { free: 8, pressed: 2 }),
      },
      untilRead,
    }),
    arrivals: new FairQueue(fair, { free: 4, pressed: 1, rest: 4 }),
    slots: openConnectionSlots(),
    draining: false,
  };
  admit = (ask) => inspect(node, ask);
  cluster.onResubscribed(() => versions.recheckAll());
  const close = async () => {
    await node.presence.stop();
    await cluster.close();
    await sequelize.close();
  };
  await features.start(node, objects).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { node, close };
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
