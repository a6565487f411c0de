/** Which servers are large, as this node knows it: looked up every ten seconds, and perhaps wrong until then. */
import { serverRoom } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import type { Db } from '../database/database.ts';
import { listedMembers } from '../members/members.ts';
import type { Stop } from '../node/clock.ts';
import { every } from '../node/timer.ts';
import { findLarge } from './store.ts';

export interface LargeServersCache {
  has(serverId: string): boolean;
  add(serverId: string): void;
  forget(serverId: string): void;
  /** Looks them up. Returns those known here that are large no more, to be forgotten. */
  read(): Promise<string[]>;
  reset(): void;
}

export function openLargeServersCache({ db }: { db: Db }): LargeServersCache {
  const known = new Set<string>();
  return {
    has: (id) => known.has(id),
    add: (id) => void known.add(id),
    forget: (id) => void known.delete(id),
    async read() {
      const now = new Set(await findLarge(db));
      for (const id of now) known.add(id);
      return [...known].filter((id) => !now.has(id));
    },
    reset: () => known.clear(),
  };
}

export const watchLarge = (app: App): Stop => every(app, 10_000, 'large', () => refreshLarge(app));

export async function refreshLarge(app: App): Promise<void> {
  for (const id of await app.large.read()) await forget(app, id);
}

/** Until now its ordinary members' coming and going was not told here, to sockets that have taken the snapshot since. */
async function forget(app: App, serverId: string): Promise<void> {
  app.large.forget(serverId);
  const room = serverRoom(serverId);
  if (!app.sockets.hasAny(room)) return;
  const userIds = (await listedMembers(app.db, serverId)).map(({ userId }) => userId);
  const users = app.presence.statuses(userIds);
  const version = app.presence.version();
  app.sockets.emitLossy([room], 'presence', { room, users, version, full: true });
}
