import type { Conversation } from '../../shared/conversations.ts';
import { wordsOf } from '../../shared/markdown/tree.ts';
import { blocks } from '../blocks/blocks.svelte.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf, partnerIn } from '../conversations/naming.ts';
import { writeTo } from '../conversations/start-conversation.ts';
import { parsed } from '../markdown/parsed.ts';
import { members } from '../members/members.svelte.ts';
import { showProfile } from '../members/profile.ts';
import { askForDate, timelineHere } from '../messages/jump-to-date.ts';
import { namesIn } from '../messages/names.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import type { Route } from '../routes/routes.ts';
import { visited } from '../navigation/visited.ts';
import { acquaintances, strangers, type Acquaintance } from '../people/acquaintances.ts';
import { people } from '../people/people.svelte.ts';
import { countedIn } from '../notifications/muting.ts';
import { markWords } from '../search/marked.ts';
import { hitPlaceOf } from '../search/places.ts';
import { searchShown } from '../search/shown.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import type { Elsewhere } from './elsewhere.ts';
import type { Destination, SwitcherHit } from './find.ts';

/** Searches messages for the text, instead of jumping to a place. */
export const searchFor = (typed: string): Destination => ({
  ...{ id: 'messages', kind: 'messages', private: false, also: '', about: '' },
  name: typed === '' ? 'Search messages' : `Search messages for “${typed}”`,
  go: () => {
    searchShown.open(typed);
  },
  unread: 0,
  visitedAgo: Infinity,
});

export const messagesIn = (
  { hits, channels: found }: Elsewhere['messages'],
  words: readonly string[],
): SwitcherHit[] =>
  hits
    .filter(({ message }) => !blocks.has(message.authorId))
    .map(({ message }) => {
      const { id, timelineId, authorId, body, files, position } = message;
      const channel = found.find((one) => one.id === timelineId);
      const place = hitPlaceOf(timelineId, channel);
      const name = members.nameOf(place.serverId, authorId);
      const text = wordsOf(parsed(body), namesIn(place.serverId)) || (files?.[0]?.name ?? '');
      const runs = markWords(text, words, 15).map(({ text, marked }) => ({ text, typed: marked }));
      return {
        destination: {
          ...{ id, kind: 'message', private: true, also: '', unread: 0, visitedAgo: Infinity },
          ...{ name, about: place.name, go: to(place.route(position)) },
        },
        name: [{ text: `${name}: `, typed: false }, ...runs],
      };
    });

export const shortcuts = (typed: string): Destination[] =>
  [...(timelineHere() ? [jumpToDate] : []), allUnread, mentionsOfMe].filter(({ name }) =>
    name.toLowerCase().includes(typed.toLowerCase()),
  );

const jumpToDate: Destination = {
  ...{ id: 'date', kind: 'date', private: false, name: 'Jump to date', also: '', about: '' },
  go: () => {
    askForDate();
  },
  unread: 0,
  visitedAgo: Infinity,
};

const allUnread: Destination = {
  ...{ id: 'unread', kind: 'unread', private: false, name: 'Unread messages', also: '', about: '' },
  go: () => {
    navigation.go({ page: 'unread' });
  },
  unread: 0,
  visitedAgo: Infinity,
};

const mentionsOfMe: Destination = {
  ...{ id: 'mentions', kind: 'mentions', private: false, name: 'Mentions of you' },
  ...{ also: '', about: '' },
  go: () => {
    navigation.go({ page: 'mentions' });
  },
  unread: 0,
  visitedAgo: Infinity,
};

export function destinations({
  channels: found,
  members: listed,
  registered,
}: Elsewhere): Destination[] {
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
        unread: countedIn(id, server.id),
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
    unread: conversation.request ? 0 : countedIn(conversation.id),
    visitedAgo: ago(conversation.id),
  }));
  const partners = new Set(conversations.all.map(partnerIn));
  const known = acquaintances(listed);
  const isKnown = new Set(known.map(({ id }) => id));
  const person = ({ id, name, also, about }: Acquaintance): Destination => ({
    ...{ private: true, id, kind: 'person', name, also, about },
    // The user cannot yet write to a person with no shared place.
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
