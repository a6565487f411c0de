/** Presence said apart from its changes: two people meet, and nobody's status changed, so nothing else would say it. */
import type { PresenceMap } from '../../shared/presence.ts';
import { serverRoom, userRoom } from '../../shared/rooms.ts';
import type { App } from '../app.ts';

/** Says how these people are, who came into a server, to its room on all nodes, if its members know each other. */
export function broadcastPresence(app: App, serverId: string, userIds: string[]): void {
  const room = serverRoom(serverId);
  if (app.large.has(serverId)) return;
  app.fanout.broadcast([room], 'presence', { room, users: app.presence.statuses(userIds) });
}

/** Says to a person how these are, friends or partners in a conversation, on all nodes. */
export function broadcastPresenceTo(app: App, userId: string, users: PresenceMap): void {
  const room = userRoom(userId);
  app.fanout.broadcast([room], 'presence', { room, users });
}
