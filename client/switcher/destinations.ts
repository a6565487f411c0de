/** Where one can jump to: what this page holds, at once, and what the server has found besides. */
import type { Conversation } from '../../shared/conversations.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf, partnerIn } from '../conversations/naming.ts';
import { writeTo } from '../conversations/start-conversation.ts';
import { showProfile } from '../members/profile.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import type { Route } from '../navigation/routes.ts';
import { visited } from '../navigation/visited.ts';
import { acquaintances, strangers, type Acquaintance } from '../people/acquaintances.ts';
import { people } from '../people/people.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { searchShown } from '../search/shown.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import type { Elsewhere } from './elsewhere.ts';

export interface Destination {
  id: string;
  kind: 'channel' | 'conversation' | 'person' | 'server' | 'messages';
  /** For some only. */
  private: boolean;
  name: string;
  /** What else it is found by. */
  also: string;
  /** What tells it from others of that name. */
  about: string;
  go: () => void;
  unread: number;
  /** 0 for the last one visited; `Infinity` for what was not visited lately. */
  visitedAgo: number;
}

/** What was said, and not where. */
export const searchFor = (typed: string): Destination => ({
  ...{ id: 'messages', kind: 'messages', private: false, also: '', about: '' },
  name: typed === '' ? 'Search messages' : `Search messages for “${typed}”`,
  go: () => {
    searchShown.open(typed);
  },
  unread: 0,
  visitedAgo: Infinity,
});

export function destinations({ channels: found, members, registered }: Elsewhere): Destination[] {
  const lately = visited().recent;
  const ago = (id: string) => {
    const at = lately.indexOf(id);
    return at < 0 ? Infinity : at;
  };
  const inServers = servers.mine.flatMap((server): Destination[] => {
    const known = channels.of(server.id) ?? [];
    const isKnown = new Set(known.map(({ id }) => id));
    const others = found.filter(({ id, serverId }) => serverId === server.id && !isKnown.has(id));
    return [
      ...[...known, ...others].map(({ id, name, private: isPrivate }): Destination => ({
        ...{ id, kind: 'channel', private: isPrivate, name, also: '', about: server.name },
        go: to({ page: 'server', serverId: server.id, channelId: id }),
        unread: reads.unread(id),
        visitedAgo: ago(id),
      })),
      {
        ...{ id: server.id, kind: 'server', private: false, name: server.name },
        ...{ also: '', about: 'Server' },
        go: to({ page: 'server', serverId: server.id }),
        unread: 0,
        visitedAgo: Infinity,
      },
    ];
  });
  const direct = conversations.all.map((conversation): Destination => ({
    private: true,
    id: conversation.id,
    kind: 'conversation',
    name: nameOf(conversation),
    ...aboutOf(conversation),
    go: to({ page: 'direct', conversationId: conversation.id }),
    unread: conversation.request ? 0 : reads.unread(conversation.id),
    visitedAgo: ago(conversation.id),
  }));
  const partners = new Set(conversations.all.map(partnerIn));
  const known = acquaintances(members);
  const isKnown = new Set(known.map(({ id }) => id));
  const person = ({ id, name, also, about }: Acquaintance): Destination => ({
    ...{ private: true, id, kind: 'person', name, also, about },
    // To whom one has nothing in common with nothing can be written yet.
    go: isKnown.has(id)
      ? () => void writeTo(id)
      : () => {
          showProfile(undefined, id);
        },
    unread: 0,
    visitedAgo: Infinity,
  });
  const others = strangers(registered.filter((id) => !isKnown.has(id)));
  const byThemselves = [...known, ...others].filter(({ id }) => !partners.has(id)).map(person);
  return [...inServers, ...direct, ...byThemselves];
}

function aboutOf(conversation: Conversation): Pick<Destination, 'also' | 'about'> {
  const partner = partnerIn(conversation);
  if (partner === undefined) return { also: '', about: 'Group' };
  const { username = '', name } = people.get(partner);
  const what = 'Direct messages';
  return { also: `${username} ${name}`, about: username ? `@${username} · ${what}` : what };
}

const to = (place: Route) => () => {
  navigation.go(place);
};
