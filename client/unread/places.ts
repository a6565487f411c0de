/** Unread places by the badges, in an order that does not change while the user goes through them. */
import type { IconNode } from 'lucide';
import { MessageCircle } from 'lucide';
import type { FoundChannel } from '../../shared/channels.ts';
import { channelIcon } from '../channels/icon.ts';
import { channels } from '../channels/channels.svelte.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { nameOf, partnerIn } from '../conversations/naming.ts';
import type { Route } from '../routes/routes.ts';
import { countedIn, isTimelineMuted, mentionsIn, serverOf } from '../notifications/muting.ts';
import { readIn, unreadIn } from '../reads/badges.ts';
import { reads } from '../reads/reads.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';

export interface UnreadPlace {
  id: string;
  serverId: string | undefined;
  count: number;
  mentions: number;
  /** When the last message was sent, if known. For channels only activity since this page was opened is known. */
  at: string;
}

/** Unordered. */
export function unreadPlaces(): UnreadPlace[] {
  return [...reads.all].flatMap(([id, badge]) => {
    if (unreadIn(badge) === 0) return [];
    const conversation = conversations.get(id);
    const serverId = conversation ? undefined : serverOf(id);
    const isThere = conversation ? !conversation.request : servers.has(serverId ?? '');
    if (!isThere) return [];
    const count = countedIn(id, serverId);
    if (count === 0) return [];
    return [{ id, serverId, count, mentions: mentionsIn(id, serverId), at: badge.at ?? '' }];
  });
}

/** Places with mentions first, then the newest; the rest in the order of the server rail. */
export function inListOrder(places: UnreadPlace[]): UnreadPlace[] {
  const rail = servers.mine.map(({ id }) => id);
  const order = (place: UnreadPlace) => rail.indexOf(place.serverId ?? '');
  return places.toSorted(
    (a, b) =>
      Number(b.mentions > 0) - Number(a.mentions > 0) ||
      (a.at < b.at ? 1 : a.at > b.at ? -1 : order(a) - order(b)),
  );
}

/** The position after which messages are shown. In a muted timeline only mentions count. */
export function shownAfter(id: string, serverId: string | undefined): number {
  const badge = reads.of(id);
  if (!badge) return 0;
  const isQuiet = isTimelineMuted(id, serverId) && badge.mentions.length > 0;
  return isQuiet ? Math.min(...badge.mentions) - 1 : readIn(badge);
}

export interface NamedPlace {
  /** Absent until the server's channels are known. */
  name: string | undefined;
  about: string;
  icon: IconNode;
  route: (position?: number) => Route;
}

export function namedPlace(
  id: string,
  serverId: string | undefined,
  found?: FoundChannel,
): NamedPlace {
  if (serverId === undefined) {
    const conversation = conversations.get(id);
    return {
      name: conversation && nameOf(conversation),
      about: conversation && !partnerIn(conversation) ? 'Group' : 'Direct message',
      icon: MessageCircle,
      route: (position) => ({ page: 'direct', conversationId: id, ...at(position) }),
    };
  }
  const channel = channels.get(serverId, id) ?? found;
  return {
    name: channel?.name,
    about: servers.get(serverId)?.name ?? '',
    icon: channelIcon(channel ?? { private: false }),
    route: (position) => ({ page: 'server', serverId, channelId: id, ...at(position) }),
  };
}

const at = (position: number | undefined) => (position === undefined ? {} : { position });
