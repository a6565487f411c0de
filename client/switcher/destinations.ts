/** Where one can jump to, from what this page holds: nobody waits for the network here. */
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf, partnerIn } from '../conversations/naming.ts';
import { writeTo } from '../conversations/writing.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import type { Place } from '../navigation/routes.ts';
import { visited } from '../navigation/visited.ts';
import { acquaintances } from '../people/acquaintances.ts';
import { reads } from '../reads/reads.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';

export interface Destination {
  id: string;
  kind: 'channel' | 'conversation' | 'person' | 'server';
  /** For some only. */
  private: boolean;
  name: string;
  /** What tells it from others of that name. */
  about: string;
  go: () => void;
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
  const inServers = servers.mine.flatMap((server): Destination[] => [
    ...(channels.of(server.id) ?? []).map(({ id, name, private: isPrivate }): Destination => ({
      ...{ id, kind: 'channel', private: isPrivate, name, about: server.name },
      go: to({ page: 'server', serverId: server.id, channelId: id }),
      unread: reads.unread(id),
      visitedAgo: ago(id),
    })),
    {
      ...{ id: server.id, kind: 'server', private: false, name: server.name, about: 'Server' },
      go: to({ page: 'server', serverId: server.id }),
      unread: 0,
      visitedAgo: Infinity,
    },
  ]);
  const direct = conversations.all.map((conversation): Destination => ({
    private: true,
    id: conversation.id,
    kind: 'conversation',
    name: nameOf(conversation),
    about: conversation.kind === 'pair' ? 'Direct messages' : 'Group',
    go: to({ page: 'direct', conversationId: conversation.id }),
    unread: conversation.request ? 0 : reads.unread(conversation.id),
    visitedAgo: ago(conversation.id),
  }));
  const partners = new Set(conversations.all.map(partnerIn));
  const others = acquaintances()
    .filter(({ id }) => !partners.has(id))
    .map(({ id, name, about }): Destination => ({
      private: true,
      id,
      kind: 'person',
      name,
      about,
      go: () => void writeTo(id),
      unread: 0,
      visitedAgo: Infinity,
    }));
  return [...inServers, ...direct, ...others];
}

const to = (place: Place) => () => {
  navigation.go(place);
};
