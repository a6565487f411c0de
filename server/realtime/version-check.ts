/**
 * Noticing a loss. No later event reveals the last one that was lost, so each node compares now and then how far it
 * has told each room with the database. Sockets of a room that is behind hear its version, and ask.
 */
import { splitRoom, type Room } from '../../shared/rooms.ts';
import { every } from '../node/timer.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import type { Clock, Stop } from '../node/clock.ts';
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

export function watchVersions(node: Needs): Stop {
  const { clock, cluster, versions } = node;
  let last = clock.now();
  return every(node, intervalMs, 'heads', async () => {
    const now = clock.now();
    // A node that was frozen, whose event loop stood still, or that does not hear the others.
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
  const told = versions.of(room);
  if (told === undefined) return;
  if (committed <= told) versions.confirm(room);
  else if (versions.confirmBehind(room)) {
    metrics.losses.inc();
    versions.record(room, committed);
    sockets.emitHead(room, committed);
  }
}
