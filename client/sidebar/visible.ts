/**
 * Selects the channels that the user’s list shows. A collapsed category shows only unread channels and the open one. A hidden
 * channel is only shown while it is open or mentions the user.
 */
import type { Channel } from '../../shared/channels.ts';
import { channels, type ChannelGroup } from '../channels/channels.svelte.ts';
import { countedIn, mentionsIn } from '../notifications/muting.ts';
import { notificationSettings } from '../notifications/settings.svelte.ts';
import { favouritesIn, isFavourite } from './favourites.ts';
import { sidebar } from './sidebar.svelte.ts';

const isShown = ({ id, serverId }: Channel, here: string | undefined): boolean =>
  id === here || !notificationSettings.isHidden(id) || mentionsIn(id, serverId) > 0;

/** Leaves out favourites, because they are above all groups. */
export function visibleOf(
  { category, channels }: ChannelGroup,
  here: string | undefined,
): Channel[] {
  const isFolded = category !== undefined && sidebar.has('collapsed', category.id);
  return channels.filter((channel) => {
    const { id, serverId } = channel;
    if (isFavourite(id) || !isShown(channel, here)) return false;
    return !isFolded || id === here || countedIn(id, serverId) > 0;
  });
}

export const hiddenIn = (serverId: string, here: string | undefined): Channel[] =>
  (channels.of(serverId) ?? []).filter((channel) => !isShown(channel, here));

/** All of them, in the order of the list. */
export const visibleIn = (serverId: string, here: string | undefined): Channel[] => [
  ...favouritesIn(serverId),
  ...(channels.groups(serverId) ?? []).flatMap((group) => visibleOf(group, here)),
];
