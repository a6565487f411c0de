/**
 * Detects lost deliveries: compares the version sent to each room with the database, because no later event reveals
 * that the last one was lost. Sockets in a room that is behind receive `head` and ask for the changes.
 */
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { every, type StopWork } from '../node/timer.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import type { Clock } from '../node/clock.ts';
import type { Logger } from '../node/log.ts';
import type { Metrics } from '../node/metrics.ts';
import type { RoomVersions } from './room-versions.ts';
import type { Sockets } from './sockets.ts';
import { readVersions } from './read-versions.ts';

interface Needs {
  ownDb: Db;
  log: Logger;
  clock: Clock;
  cluster: Pick<Cluster, 'isSubscribed'>;
  metrics: Metrics;
  sockets: Sockets;
  versions: RoomVersions;
}

const intervalMs = 1_000;
const maxAtOnce = 2_000;

export function watchVersions(node: Needs): StopWork {
  const { clock, cluster, versions } = node;
  let last = clock.now();
  return every(node, intervalMs, 'heads', async () => {
    const now = clock.now();
    // After a frozen process, a blocked event loop or a lost subscription, any room can be behind.
    if (now - last > 2 * intervalMs || !cluster.isSubscribed()) versions.recheckAll();
    last = now;
    await checkRooms(node);
  });
}

async function checkRooms(node: Needs): Promise<void> {
  const rooms = node.versions.due(maxAtOnce);
  if (rooms.length === 0) return;
  const committed = await readVersions(
    node.ownDb,
    rooms.map((room) => splitRoom(room).id),
  );
  for (const room of rooms) checkRoom(node, room, committed.get(splitRoom(room).id));
}

function checkRoom(node: Needs, room: Room, committed: number | undefined): void {
  const { sockets, versions, metrics } = node;
  if (committed === undefined) return sockets.evict([room]);
  const published = versions.of(room);
  if (published === undefined) return;
  if (committed <= published) versions.confirm(room);
  else if (versions.confirmBehind(room)) {
    metrics.losses.inc();
    versions.record(room, committed);
    sockets.emitHead(room, committed);
  }
}
