/**
 * Online status. A person is online while they have a socket. A closed socket counts for a few more seconds, so that
 * reloading a page does not show its user as offline; signing out takes effect immediately. Each node writes the
 * statuses of its own people to its lease; the leases of all nodes together give a person's status.
 */
import { z } from 'zod';
import { RoomName } from '../../shared/contract.ts';
import { ChosenStatus, type PresenceMap } from '../../shared/presence.ts';
import { serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import { every } from '../node/timer.ts';
import { repeat, type Stop, type Clock } from '../node/clock.ts';
import { attempt } from '../node/attempt.ts';
import { partnersAmong } from '../conversations/access.ts';
import { friendsAmong } from '../friends/friends.ts';
import { serversThatKnow } from '../members/members.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Db } from '../database/database.ts';
import type { Logger } from '../node/log.ts';
import type { Delivery } from '../realtime/deliver.ts';
import type { LargeServers } from '../realtime/large-servers.ts';
import type { Presence } from '../realtime/presence.ts';
import type { Sockets } from '../realtime/sockets.ts';
import { openLocalPresence, type LocalPresence } from './local-presence.ts';
import { openMeetings } from './meetings.ts';
import { chosenStatuses } from './status.ts';

interface Needs {
  ownDb: Db;
  log: Logger;
  clock: Clock;
  cluster: Cluster;
  sockets: Sockets;
  large: LargeServers;
  delivery: Delivery;
}

const SignedOut = z.object({ signedOut: z.object({ userId: z.string(), sessionId: z.string() }) });
const Chosen = z.object({ chosen: z.object({ userId: z.string(), status: ChosenStatus }) });
const Announced = z.object({
  room: RoomName,
  userIds: z.array(z.string()),
  as: z.literal('offline').optional(),
});
type Announced = z.infer<typeof Announced>;
const AnnouncedMessage = z.object({ announced: Announced });

type Emit = (room: Room, users: PresenceMap) => void;

const offlineAfterMs = 5_000;
const broadcastIntervalMs = 1_000;
/** Messages between nodes can get lost, so the chosen statuses are read again. */
const rereadEveryMs = 10_000;

export function startPresence(node: Needs): Presence {
  const { leases } = node.cluster;
  const here = openLocalPresence((userId, said) => leases.set(userId, said));
  const leaving = new Set<Stop>();
  const news = new Set<string>();

  function chose(userId: string, status: ChosenStatus) {
    if (here.choose(userId, status)) node.sockets.emit(userRoom(userId), 'seenAs', { status });
  }

  let version = 0;
  leases.onChange((userIds) => {
    version += 1;
    for (const id of userIds) news.add(id);
  });
  const emit: Emit = (room, users) => {
    if (Object.keys(users).length > 0)
      node.sockets.emitLossy([room], 'presence', { room, users, version });
  };
  const emitOnline = (room: Room, userIds: string[]) => {
    emit(room, statuses(userIds));
  };
  const announce = ({ room, userIds, as }: Announced) => {
    if (as) emit(room, Object.fromEntries(userIds.map((id) => [id, as])));
    else emitOnline(room, userIds);
  };
  /** Leaves out people who are offline. */
  function statuses(userIds: Iterable<string>): PresenceMap {
    const known: PresenceMap = {};
    for (const id of userIds) {
      const status = leases.status(id);
      if (status !== 'offline') known[id] = status;
    }
    return known;
  }
  node.cluster.onMessage((message) => {
    const { data: out } = SignedOut.safeParse(message);
    if (out !== undefined) here.end(out.signedOut.userId, out.signedOut.sessionId);
    const { data: said } = Chosen.safeParse(message);
    if (said !== undefined) chose(said.chosen.userId, said.chosen.status);
    const { announced } = AnnouncedMessage.safeParse(message).data ?? {};
    if (announced !== undefined) announce(announced);
  });
  const meetings = openMeetings(node.ownDb, emitOnline);
  node.delivery.onChanges((changes) => {
    meetings.note(changes);
  });

  const emitting = new Set<Promise<unknown>>();
  const begin = (work: () => Promise<void>) => {
    const done = attempt(node, 'presence', work).finally(() => emitting.delete(done));
    emitting.add(done);
  };
  const stopEmitting = repeat(node.clock, broadcastIntervalMs, () => {
    const batch = [...news];
    news.clear();
    begin(() =>
      emitStatuses(node, emit, batch, here).catch((error: unknown) => {
        // The next round sends these people again, with their status by then.
        for (const id of batch) news.add(id);
        throw error;
      }),
    );
    begin(() => meetings.emitMeetings());
  });

  const stopReading = every(node, rereadEveryMs, 'statuses', async () => {
    const before = here.chosen();
    if (before.size === 0) return;
    const stored = await chosenStatuses(node.ownDb, [...before.keys()]);
    const now = here.chosen();
    // Skips people whose choice changed during the query, because it can be newer than the stored one.
    for (const [id, was] of before) if (now.get(id) === was) chose(id, stored(id));
  });

  return {
    connected: (device, stored) => here.add(device, stored),
    disconnected(userId, socketId) {
      const stop = node.clock.after(offlineAfterMs, () => {
        leaving.delete(stop);
        here.drop(userId, socketId);
      });
      leaving.add(stop);
    },
    signedOut(userId, sessionId) {
      here.end(userId, sessionId);
      node.cluster.broadcast({ signedOut: { userId, sessionId } });
    },
    used: (userId, socketId, active) => here.use(userId, socketId, active),
    chose(userId, status) {
      chose(userId, status);
      node.cluster.broadcast({ chosen: { userId, status } });
    },
    announce(room, userIds, as) {
      announce({ room, userIds, as });
      node.cluster.broadcast({ announced: { room, userIds, as } });
    },
    statuses,
    everyone: () => leases.everyone(),
    version: () => version,
    async stop() {
      for (const stop of [stopEmitting, ...leaving]) stop();
      await Promise.all([stopReading(), ...emitting]);
    },
  };
}

/** Emits changed statuses on this node: to servers that list the person, to friends, and to conversation partners. */
async function emitStatuses(node: Needs, emit: Emit, batch: string[], here: LocalPresence) {
  if (batch.length === 0) return;
  const statusOf = (userIds: string[]): PresenceMap =>
    Object.fromEntries(userIds.map((id) => [id, node.cluster.leases.status(id)]));
  for (const [serverId, userIds] of await serversThatKnow(node, batch))
    emit(serverRoom(serverId), statusOf(userIds));
  const watchers = [...here.chosen().keys()];
  for (const among of [friendsAmong, partnersAmong])
    for (const [userId, theirs] of await among(node.ownDb, watchers, batch))
      emit(userRoom(userId), statusOf(theirs));
}
