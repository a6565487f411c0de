import type { Channel } from '../../shared/channels.ts';
import type { Conversation } from '../../shared/conversations.ts';
import type { Server } from '../../shared/servers.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf } from '../conversations/naming.ts';
import { servers } from '../servers/servers.svelte.ts';

export interface NotificationPlace {
  targetId: string;
  kind: 'server' | 'channel' | 'conversation';
  serverId?: string;
  name: string;
}

export const serverPlace = ({ id, name }: Server): NotificationPlace => ({
  targetId: id,
  kind: 'server',
  name,
});

export const channelPlace = ({ id, serverId, name }: Channel): NotificationPlace => ({
  ...{ targetId: id, kind: 'channel', serverId, name: `#${name}` },
});

export const conversationPlace = (conversation: Conversation): NotificationPlace => ({
  ...{ targetId: conversation.id, kind: 'conversation', name: nameOf(conversation) },
});

export function placeNow({
  targetId: id,
  serverId,
}: NotificationPlace): NotificationPlace | undefined {
  if (serverId !== undefined) {
    const channel = channels.get(serverId, id);
    return channel && channelPlace(channel);
  }
  const server = servers.get(id);
  if (server) return serverPlace(server);
  const conversation = conversations.get(id);
  return conversation && conversationPlace(conversation);
}
