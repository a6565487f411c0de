/**
 * Who is online. A person is online while they have a socket. A closed socket counts for a few more seconds, so that
 * reloading a page does not show its user as offline; signing out takes effect immediately. Each node writes the
 * statuses of its own people to its lease; the leases of all nodes together give a person's status.
 */
import { z } from 'zod';
import { RoomName } from '../../shared/contract.ts';
import { ChosenStatus, type PresenceMap } from '../../shared/presence.ts';
import { serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import { every } from '../node/timer.ts';
import { repeat, type Stop } from '../node/clock.ts';
import { attempt } from '../node/attempt.ts';
import { partnersAmong } from '../conversations/presence.ts';
import { friendsAmong } from '../friends/friends.ts';
import { serversThatKnow } from '../members/members.ts';
import { openLocalPresence, type Device, type LocalPresence } from './local-presence.ts';
import { openMeetings } from './meetings.ts';
import { chosenStatuses } from './status.ts';

export interface Presence {
  /** `stored` is the chosen status as it was read. Returns the current one: it may have changed since. */
  connected(device: Device, stored: ChosenStatus): ChosenStatus;
  disconnected(userId: string, socketId: string): void;
  /** A session has ended: its sockets do not come back, so on all nodes they stop counting without delay. */
  signedOut(userId: string, sessionId: string): void;
  used(userId: string, socketId: string, active: boolean): void;
  /** A person has chosen another status, which is already stored. */
  chose(userId: string, status: ChosenStatus): void;
  /**
   * Tells a room on all nodes how these people are, which is new to those in it although no status and no list has
   * changed; or, with `offline`, that they are not to be seen there any more.
   */
  announce(room: Room, userIds: string[], as?: 'offline'): void;
  /** The statuses of those of these people who are not offline. */
  statuses(userIds: Iterable<string>): PresenceMap;
  /** The ids of all who are not offline. */
  everyone(): string[];
  /** Grows with each change of a status that this node sees. */
  version(): number;
  stop(): void;
}

type Needed = Pick<App, 'db' | 'log' | 'clock' | 'cluster' | 'sockets' | 'large' | 'delivery'>;

/** Messages between nodes: a session has ended, a person has chosen a status, and people are new to a room. */
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
const tellEveryMs = 1_000;
/** Messages between nodes can get lost, so the chosen statuses are read again. */
const rereadEveryMs = 10_000;

export function startPresence(app: Needed): Presence {
  const { leases } = app.cluster;
  const here = openLocalPresence((userId, said) => leases.set(userId, said));
  const leaving = new Set<Stop>();
  const news = new Set<string>();

  function chose(userId: string, status: ChosenStatus) {
    if (here.choose(userId, status)) app.sockets.emit(userRoom(userId), 'seenAs', { status });
  }

  let version = 0;
  leases.onChange((userIds) => {
    version += 1;
    for (const id of userIds) news.add(id);
  });
  const emit: Emit = (room, users) => {
    if (Object.keys(users).length > 0)
      app.sockets.emitLossy([room], 'presence', { room, users, version });
  };
  const emitOnline = (room: Room, userIds: string[]) => {
    emit(room, statuses(userIds));
  };
  const announce = ({ room, userIds, as }: Announced) => {
    if (as) emit(room, Object.fromEntries(userIds.map((id) => [id, as])));
    else emitOnline(room, userIds);
  };
  /** Without those who are offline. */
  function statuses(userIds: Iterable<string>): PresenceMap {
    const known: PresenceMap = {};
    for (const id of userIds) {
      const status = leases.status(id);
      if (status !== 'offline') known[id] = status;
    }
    return known;
  }
  app.cluster.onMessage((message) => {
    const { data: out } = SignedOut.safeParse(message);
    if (out !== undefined) here.end(out.signedOut.userId, out.signedOut.sessionId);
    const { data: said } = Chosen.safeParse(message);
    if (said !== undefined) chose(said.chosen.userId, said.chosen.status);
    const { announced } = AnnouncedMessage.safeParse(message).data ?? {};
    if (announced !== undefined) announce(announced);
  });
  const meetings = openMeetings(app.db, emitOnline);
  app.delivery.onChanges((changes) => {
    meetings.note(changes);
  });

  const stopTelling = repeat(app.clock, tellEveryMs, () => {
    const batch = [...news];
    news.clear();
    void attempt(app, 'presence', () => tell(app, emit, batch, here)).then(({ ok }) => {
      // On failure the next round tells of these people again, with their status by then.
      if (!ok) for (const id of batch) news.add(id);
    });
    void attempt(app, 'presence', () => meetings.tell());
  });

  const stopReading = every(app, rereadEveryMs, 'statuses', async () => {
    const before = here.chosen();
    if (before.size === 0) return;
    const stored = await chosenStatuses(app.db, [...before.keys()]);
    const now = here.chosen();
    // Skips people whose choice changed during the query: it may be newer than what was read.
    for (const [id, was] of before) if (now.get(id) === was) chose(id, stored(id));
  });

  return {
    connected: (device, stored) => here.add(device, stored),
    disconnected(userId, socketId) {
      const stop = app.clock.after(offlineAfterMs, () => {
        leaving.delete(stop);
        here.drop(userId, socketId);
      });
      leaving.add(stop);
    },
    signedOut(userId, sessionId) {
      here.end(userId, sessionId);
      app.cluster.broadcast({ signedOut: { userId, sessionId } });
    },
    used: (userId, socketId, active) => here.use(userId, socketId, active),
    chose(userId, status) {
      chose(userId, status);
      app.cluster.broadcast({ chosen: { userId, status } });
    },
    announce(room, userIds, as) {
      announce({ room, userIds, as });
      app.cluster.broadcast({ announced: { room, userIds, as } });
    },
    statuses,
    everyone: () => leases.everyone(),
    version: () => version,
    stop() {
      for (const stop of [stopTelling, stopReading, ...leaving]) stop();
    },
  };
}

/**
 * Tells this node's sockets which statuses changed: once a second for each server where these people are listed, each
 * friend, and each person who is in a conversation with them.
 */
async function tell(app: Needed, emit: Emit, batch: string[], here: LocalPresence) {
  if (batch.length === 0) return;
  const statusOf = (userIds: string[]): PresenceMap =>
    Object.fromEntries(userIds.map((id) => [id, app.cluster.leases.status(id)]));
  for (const [serverId, userIds] of await serversThatKnow(app, batch))
    emit(serverRoom(serverId), statusOf(userIds));
  const watchers = [...here.chosen().keys()];
  for (const among of [friendsAmong, partnersAmong])
    for (const [userId, theirs] of await among(app.db, watchers, batch))
      emit(userRoom(userId), statusOf(theirs));
}
