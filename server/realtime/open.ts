/** The realtime core of a node, in one look: each part is opened with what it needs and nothing else, and owns its state. */
import { openPenalties, type Penalties } from '../admission/penalties.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../node/clock.ts';
import type { Instance } from '../node/instance.ts';
import type { Logger } from '../node/log.ts';
import type { Metrics } from '../node/metrics.ts';
import { openAccessVersions, type AccessVersions } from './access-version.ts';
import { openActivity, type ActivityFeed } from './activity.ts';
import { openBackpressure, type Backpressure } from './backpressure.ts';
import { openDelivery, type Delivery } from './deliver.ts';
import { openFanout, type Fanout, type VolatilePaces } from './publish.ts';
import { openRoomReader, type RoomReader } from './room-reader.ts';
import { openRoomVersions, type RoomVersions } from './room-versions.ts';
import { openSockets, type Sockets } from './sockets.ts';
import type { LargeServers } from './large-servers.ts';
import type { RoomFeatures } from './room-features.ts';
import type { Io } from './chat-socket.ts';

export interface Realtime {
  backpressure: Backpressure;
  penalties: Penalties;
  sockets: Sockets;
  /** How far each room has been told here. */
  versions: RoomVersions;
  reader: RoomReader;
  access: AccessVersions;
  /** Badges. */
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
  openPaces: (clock: Clock) => VolatilePaces;
}

export function openRealtime(node: Needs): Realtime {
  const { ownDb: db, log, clock, instance, metrics, cluster, features, openPaces } = node;
  const penalties = openPenalties({ clock, cluster });
  const backpressure = openBackpressure({ ...node, penalties });
  const sockets = openSockets({ io: node.io, backpressure });
  const versions = openRoomVersions({ clock, sockets });
  const reader = openRoomReader({ db, clock, versions, features });
  const access = openAccessVersions({ db, log, sockets, features });
  const activity = openActivity({ db, log, clock, sockets, access, large: node.large, features });
  const telling = { log, instance, sockets, access, activity };
  const delivery = openDelivery({ ...telling, db, metrics, versions, reader });
  const fanout = openFanout({ ...telling, clock, cluster, delivery, openPaces });
  const rooms = { sockets, versions, reader, access, activity, delivery, fanout };
  return { backpressure, penalties, ...rooms };
}
