import { openPenalties, type Penalties } from '../admission/penalties.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../node/clock.ts';
import type { Instance } from '../node/instance.ts';
import type { Logger } from '../node/log.ts';
import type { Metrics } from '../node/metrics.ts';
import { AccessVersions } from './access-version.ts';
import { ActivityFeed } from './activity.ts';
import { Backpressure } from './backpressure.ts';
import { Delivery } from './deliver.ts';
import { Fanout } from './publish.ts';
import { RoomReader } from './room-reader.ts';
import { RoomVersions } from './room-versions.ts';
import { Sockets } from './sockets.ts';
import type { LargeServers } from './large-servers.ts';
import type { RoomFeatures } from './room-features.ts';
import type { Io } from './chat-socket.ts';

export interface Realtime {
  backpressure: Backpressure;
  penalties: Penalties;
  sockets: Sockets;
  versions: RoomVersions;
  reader: RoomReader;
  access: AccessVersions;
  activity: ActivityFeed;
  delivery: Delivery;
  fanout: Fanout;
}

interface Needs {
  io: Io;
  ownDb: Db;
  log: Logger;
  clock: Clock;
  instance: Instance;
  metrics: Metrics;
  cluster: Cluster;
  large: LargeServers;
  features: RoomFeatures;
}

export function openRealtime(node: Needs): Realtime {
  const { ownDb: db, log, clock, instance, metrics, cluster, features } = node;
  const penalties = openPenalties({ clock, cluster });
  const backpressure = new Backpressure({ ...node, penalties });
  const sockets = new Sockets({ io: node.io, backpressure });
  const versions = new RoomVersions({ clock, sockets });
  const reader = new RoomReader({ db, clock, versions, features });
  const access = new AccessVersions({ db, log, sockets, features });
  const activity = new ActivityFeed({
    db,
    log,
    clock,
    sockets,
    access,
    large: node.large,
    features,
  });
  const common = { log, instance, sockets, access, activity };
  const delivery = new Delivery({ ...common, db, metrics, versions, reader });
  const fanout = new Fanout({ ...common, clock, cluster, delivery });
  const rooms = { sockets, versions, reader, access, activity, delivery, fanout };
  return { backpressure, penalties, ...rooms };
}
