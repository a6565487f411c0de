/**
 * Who is online. A person is online as long as one of their sockets is; a closed socket counts for a few
 * seconds more, so that a reload makes nobody blink. Signing out counts at once.
 */
import type { PresenceMap, Status } from '../../shared/presence.ts';
import type { App } from '../app.ts';
import { tellPresence } from '../publish.ts';
import { serversOfMany } from '../members/members.ts';

export interface Presence {
  connected(userId: string, sessionId: string, socketId: string): void;
  disconnected(userId: string, socketId: string): void;
  /** The sockets of this session are gone for good: no waiting whether they come back. */
  signedOut(userId: string, sessionId: string): void;
  /** Those of these people who are not offline. */
  statuses(userIds: Iterable<string>): PresenceMap;
  stop(): void;
}

const patience = 5_000;
const beat = 1_000;

export function startPresence(app: Pick<App, 'io' | 'db' | 'log'>): Presence {
  /** For each person, their sockets and the session of each. */
  const sockets = new Map<string, Map<string, string>>();
  const leaving = new Map<string, NodeJS.Timeout>();
  const news = new Map<string, Status>();

  const statusOf = (userId: string): Status => (sockets.has(userId) ? 'online' : 'offline');
  const note = (userId: string) => news.set(userId, statusOf(userId));

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
    note(userId);
  }

  const ticking = setInterval(() => {
    const batch = new Map(news);
    news.clear();
    void tell(app, batch);
  }, beat).unref();

  return {
    connected(userId, sessionId, socketId) {
      stay(userId);
      const held = sockets.get(userId);
      if (held !== undefined) return void held.set(socketId, sessionId);
      sockets.set(userId, new Map([[socketId, sessionId]]));
      note(userId);
    },
    disconnected(userId, socketId) {
      if (!drop(userId, socketId)) return;
      leaving.set(userId, setTimeout(() => goOffline(userId), patience).unref());
    },
    signedOut(userId, sessionId) {
      const held = [...(sockets.get(userId) ?? [])].filter(([, session]) => session === sessionId);
      if (held.map(([socketId]) => drop(userId, socketId)).some(Boolean)) goOffline(userId);
    },
    statuses: (userIds) =>
      Object.fromEntries(
        [...userIds].filter((id) => sockets.has(id)).map((id) => [id, statusOf(id)]),
      ),
    stop() {
      clearInterval(ticking);
      for (const timer of leaving.values()) clearTimeout(timer);
    },
  };
}

/** One word a second to each server whose members changed. */
async function tell(app: Pick<App, 'io' | 'db' | 'log'>, batch: Map<string, Status>) {
  if (batch.size === 0) return;
  const memberships = await serversOfMany(app.db, [...batch.keys()]);
  for (const [serverId, userIds] of memberships)
    tellPresence(
      app,
      serverId,
      Object.fromEntries(userIds.map((id) => [id, batch.get(id) ?? 'offline'])),
    );
}
