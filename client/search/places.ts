import type { FoundChannel } from '../../shared/channels.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf } from '../conversations/naming.ts';
import type { Route } from '../routes/routes.ts';
import { servers } from '../servers/servers.svelte.ts';

export interface HitPlace {
  route: (position: number) => Route;
  serverId: string | undefined;
  name: string;
}

export function hitPlaceOf(timelineId: string, channel: FoundChannel | undefined): HitPlace {
  if (channel !== undefined) {
    const { serverId, name, id: channelId } = channel;
    const server = servers.get(serverId)?.name;
    return {
      route: (position) => ({ page: 'server', serverId, channelId, position }),
      serverId,
      name: server === undefined ? `#${name}` : `#${name} · ${server}`,
    };
  }
  const conversation = conversations.get(timelineId);
  return {
    route: (position) => ({ page: 'direct', conversationId: timelineId, position }),
    serverId: undefined,
    name: conversation === undefined ? 'Direct message' : nameOf(conversation),
  };
}
