/** Where one can jump to, from what this page holds: nobody waits for the network here. */
import { channels } from '../channels/channels.svelte.ts';
import type { Place } from '../navigation/routes.ts';
import { visited } from '../navigation/visited.ts';
import { reads } from '../reads/reads.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';

export interface Destination {
  id: string;
  kind: 'channel' | 'server';
  private: boolean;
  name: string;
  /** What tells it from others of that name. */
  about: string;
  place: Place;
  unread: number;
  /** 0 for the last one visited; `Infinity` for what was not visited lately. */
  visitedAgo: number;
}

export function destinations(): Destination[] {
  const lately = visited().recent;
  const ago = (id: string) => {
    const at = lately.indexOf(id);
    return at < 0 ? Infinity : at;
  };
  return servers.mine.flatMap((server) => [
    ...(channels.of(server.id) ?? []).map(({ id, name, private: isPrivate }): Destination => ({
      ...{ id, kind: 'channel', private: isPrivate, name, about: server.name },
      place: { page: 'server', serverId: server.id, channelId: id },
      unread: reads.unread(id),
      visitedAgo: ago(id),
    })),
    {
      ...{ id: server.id, kind: 'server', private: false, name: server.name, about: 'Server' },
      place: { page: 'server', serverId: server.id },
      unread: 0,
      visitedAgo: Infinity,
    },
  ]);
}
