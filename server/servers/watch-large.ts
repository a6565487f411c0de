/** What this node knows of which servers are large, looked up every ten seconds. */
import { serverRoom } from '../../shared/rooms.ts';
import type { App } from '../app.ts';
import { every } from '../node/timer.ts';
import type { Stop } from '../node/clock.ts';
import { membersTold } from '../members/members.ts';
import { findLarge } from './store.ts';

export const watchLarge = (app: App): Stop => every(app, 10_000, 'large', () => refreshLarge(app));

export async function refreshLarge(app: App): Promise<void> {
  const now = new Set(await findLarge(app.db));
  for (const id of now) app.large.add(id);
  for (const id of app.large) if (!now.has(id)) await forget(app, id);
}

/** Until now its ordinary members' coming and going was not told here, to whoever has taken the snapshot since. */
async function forget(app: App, serverId: string): Promise<void> {
  app.large.delete(serverId);
  const room = serverRoom(serverId);
  if (!app.sockets.hasAny(room)) return;
  const userIds = (await membersTold(app.db, serverId)).map(({ userId }) => userId);
  const users = app.presence.statuses(userIds);
  app.sockets.emitLossy([room], 'presence', { room, users, full: true });
}
