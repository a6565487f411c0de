/**
 * Who is online. A person is online as long as one of their sockets is; a closed socket counts for a few
 * seconds more, so that a reload makes nobody blink. Signing out counts at once. What this node makes of its
 * own sockets goes into its lease; the leases of all nodes together say how somebody is.
 */
import { z } from 'zod';
import { ChosenStatus, type PresenceMap } from '../../shared/presence.ts';
import { serverRoom, userRoom, type Room } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import { every } from '../node/timer.ts';
import { repeat, type Stop } from '../node/clock.ts';
import { attempt } from '../node/attempt.ts';
import { partnersAmong } from '../conversations/presence.ts';
import { friendsAmong } from '../friends/friends.ts';
import { serversThatKnow } from '../members/members.ts';
import { newHere, type Device, type Here } from './local-presence.ts';
import { chosenStatuses } from './status.ts';

export interface Presence {
  /** `stored` is the status that they had chosen. Returns the one that counts: it may have changed since. */
  connected(device: Device, stored: ChosenStatus): ChosenStatus;
  disconnected(userId: string, socketId: string): void;
  /** The sockets of this session are gone for good, here and on all nodes: no waiting whether they come back. */
  signedOut(userId: string, sessionId: string): void;
  used(userId: string, socketId: string, active: boolean): void;
  /** Somebody has chosen another status, and it is stored. */
  chose(userId: string, status: ChosenStatus): void;
  /** Those of these people who are not offline. */
  statuses(userIds: Iterable<string>): PresenceMap;
  /** All who are not offline. */
  everyone(): string[];
  stop(): void;
}

type Needed = Pick<App, 'db' | 'log' | 'clock' | 'cluster' | 'sockets' | 'large'>;

/** What nodes tell each other of a sign-out, and of what somebody has chosen. */
const SignedOut = z.object({ signedOut: z.object({ userId: z.string(), sessionId: z.string() }) });
const Chosen = z.object({ chosen: z.object({ userId: z.string(), status: ChosenStatus }) });

const patience = 5_000;
const beat = 1_000;
/** Words between nodes get lost, so what people have chosen is read again. */
const doubt = 10_000;

export function startPresence(app: Needed): Presence {
  const { leases } = app.cluster;
  const here = newHere((userId, said) => leases.set(userId, said));
  const leaving = new Set<Stop>();
  const news = new Set<string>();

  function chose(userId: string, status: ChosenStatus) {
    if (here.choose(userId, status)) app.sockets.emit(userRoom(userId), 'seenAs', { status });
  }

  leases.onChange((userIds) => {
    for (const id of userIds) news.add(id);
  });
  app.cluster.onMessage((message) => {
    const { data: out } = SignedOut.safeParse(message);
    if (out !== undefined) here.end(out.signedOut.userId, out.signedOut.sessionId);
    const { data: said } = Chosen.safeParse(message);
    if (said !== undefined) chose(said.chosen.userId, said.chosen.status);
  });

  const stopTelling = repeat(app.clock, beat, () => {
    const batch = [...news];
    news.clear();
    void attempt(app, 'presence', () => tell(app, batch, here)).then(({ ok }) => {
      // Whoever could not be told of now is told of with the next beat, as they are by then.
      if (!ok) for (const id of batch) news.add(id);
    });
  });

  const stopReading = every(app, doubt, 'statuses', async () => {
    const before = here.chosen();
    if (before.size === 0) return;
    const stored = await chosenStatuses(app.db, [...before.keys()]);
    const now = here.chosen();
    // Who has chosen anew meanwhile may have done so after this was read.
    for (const [id, was] of before) if (now.get(id) === was) chose(id, stored(id));
  });

  return {
    connected: (device, stored) => here.add(device, stored),
    disconnected(userId, socketId) {
      const stop = app.clock.after(patience, () => {
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
    statuses: (userIds) =>
      Object.fromEntries(
        [...userIds]
          .map((id) => [id, leases.status(id)] as const)
          .filter(([, status]) => status !== 'offline'),
      ),
    everyone: () => leases.everyone(),
    stop() {
      for (const stop of [stopTelling, stopReading, ...leaving]) stop();
    },
  };
}

/** One word a second to each server in which those are known who changed, to each friend, and to whom they write: every node tells its own sockets. */
async function tell(app: Needed, batch: string[], here: Here) {
  if (batch.length === 0) return;
  const emit = (room: Room, userIds: string[]) => {
    const users = Object.fromEntries(userIds.map((id) => [id, app.cluster.leases.status(id)]));
    app.sockets.emitLossy([room], 'presence', { room, users });
  };
  for (const [serverId, userIds] of await serversThatKnow(app, batch))
    emit(serverRoom(serverId), userIds);
  const watchers = [...here.chosen().keys()];
  for (const among of [friendsAmong, partnersAmong])
    for (const [userId, theirs] of await among(app.db, watchers, batch))
      emit(userRoom(userId), theirs);
}
