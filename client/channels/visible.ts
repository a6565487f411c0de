/** Which channels the list shows: of a collapsed category only what is unread, and where one is. */
import type { Channel } from '../../shared/channels.ts';
import { collapsed } from '../categories/collapsed.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { channels, type ChannelGroup } from './channels.svelte.ts';

export function visibleOf(
  { category, channels }: ChannelGroup,
  here: string | undefined,
): Channel[] {
  if (!category || !collapsed.has(category.id)) return channels;
  return channels.filter(({ id }) => id === here || reads.unread(id) > 0);
}

export const visibleIn = (serverId: string, here: string | undefined): Channel[] =>
  (channels.groups(serverId) ?? []).flatMap((group) => visibleOf(group, here));
