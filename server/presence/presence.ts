/**
 * Who is online. A person is online as long as one of their sockets is; a closed socket counts for a few
 * seconds more, so that a reload makes nobody blink. Signing out counts at once. What this node makes of its
 * own sockets goes into its lease; the leases of all nodes together say how somebody is.
 */
import { z } from 'zod';
import type { PresenceMap } from '../../shared/presence.ts';
import type { App } from '../app.ts';
import { attempt } from '../command.ts';
import { serversOfMany } from '../members/members.ts';
import { tellPresenceHere } from '../publish.ts';

export interface Presence {
  connected(userId: string, sessionId: string, socketId: string): void;
  disconnected(userId: string, socketId: string): void;
  /** The sockets of this session are gone for good, here and on all nodes: no waiting whether they come back. */
  signedOut(userId: string, sessionId: string): void;
  /** Those of these people who are not offline. */
  statuses(userIds: Iterable<string>): PresenceMap;
  stop(): void;
}

type Needed = Pick<App, 'io' | 'db' | 'log' | 'cluster' | 'slow'>;

/** What nodes tell each other of a sign-out. */
const SignedOut = z.object({ signedOut: z.object({ userId: z.string(), sessionId: z.string() }) });

const patience = 5_000;
const beat = 1_000;

export function startPresence(app: Needed): Presence {
  const { leases } = app.cluster;
  /** For each person, their sockets here and the session of each. */
  const sockets = new Map<string, Map<string, string>>();
  const leaving = new Map<string, NodeJS.Timeout>();
  const news = new Set<string>();

  function stay(userId: string) {
    clearTimeout(leaving.get(userId));
    leaving.delete(userId);
  }

  /** Drops a socket; true if it was the person's last. */
  function drop(userId: string, socketId: string): boolean {
    const held = sockets.get(userId);
    return held !== undefined && held.delete(socketId) && held.size === 0;
  }

  function goOffline(userId: string) {
    stay(userId);
    sockets.delete(userId);
    leases.set(userId, undefined);
  }

  function signedOutHere(userId: string, sessionId: string) {
    const held = [...(sockets.get(userId) ?? [])].filter(([, session]) => session === sessionId);
    if (held.map(([socketId]) => drop(userId, socketId)).some(Boolean)) goOffline(userId);
  }

  const statuses = (userIds: Iterable<string>): PresenceMap =>
    Object.fromEntries(
      [...userIds]
        .map((id) => [id, leases.status(id)] as const)
        .filter(([, status]) => status !== 'offline'),
    );

  leases.onChange((userIds) => {
    for (const id of userIds) news.add(id);
  });
  app.cluster.onTold((parcel) => {
    const { data } = SignedOut.safeParse(parcel);
    if (data !== undefined) signedOutHere(data.signedOut.userId, data.signedOut.sessionId);
  });

  const ticking = setInterval(() => {
    const batch = [...news];
    news.clear();
    void attempt(app, 'presence', () => tell(app, batch)).then(({ ok }) => {
      // Whoever could not be told of now is told of with the next beat, as they are by then.
      if (!ok) for (const id of batch) news.add(id);
    });
  }, beat).unref();

  return {
    connected(userId, sessionId, socketId) {
      stay(userId);
      const held = sockets.get(userId);
      if (held !== undefined) return void held.set(socketId, sessionId);
      sockets.set(userId, new Map([[socketId, sessionId]]));
      leases.set(userId, 'online');
    },
    disconnected(userId, socketId) {
      if (!drop(userId, socketId)) return;
      leaving.set(userId, setTimeout(() => goOffline(userId), patience).unref());
    },
    signedOut(userId, sessionId) {
      signedOutHere(userId, sessionId);
      app.cluster.tell({ signedOut: { userId, sessionId } });
    },
    statuses,
    stop() {
      clearInterval(ticking);
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
}

/** One word a second to each server whose members changed: every node tells its own sockets. */
async function tell(app: Needed, batch: string[]) {
  if (batch.length === 0) return;
  const memberships = await serversOfMany(app.db, batch);
  for (const [serverId, userIds] of memberships)
    tellPresenceHere(
      app,
      serverId,
      Object.fromEntries(userIds.map((id) => [id, app.cluster.leases.status(id)])),
    );
}
