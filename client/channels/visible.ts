/** The channels that the list shows. A collapsed category shows only unread channels and the open one. */
import type { Channel } from '../../shared/channels.ts';
import { collapsed } from '../categories/collapsed.svelte.ts';
import { countedIn } from '../notifications/muting.ts';
import { channels, type ChannelGroup } from './channels.svelte.ts';

export function visibleOf(
  { category, channels }: ChannelGroup,
  here: string | undefined,
): Channel[] {
  if (!category || !collapsed.has(category.id)) return channels;
  return channels.filter(({ id, serverId }) => id === here || countedIn(id, serverId) > 0);
}

export const visibleIn = (serverId: string, here: string | undefined): Channel[] =>
  (channels.groups(serverId) ?? []).flatMap((group) => visibleOf(group, here));
