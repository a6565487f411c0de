import type { Channel } from '../../shared/channels.ts';
import { channels } from '../channels/channels.svelte.ts';
import { notificationSettings } from '../notifications/settings.svelte.ts';
import { sidebar } from './sidebar.svelte.ts';

/** The user’s favourites in a server, in their order. A hidden channel is none while it is hidden. */
export const favouritesIn = (serverId: string): Channel[] =>
  sidebar
    .ids('favourites')
    .flatMap((id) => (isFavourite(id) ? (channels.get(serverId, id) ?? []) : []));

export const isFavourite = (channelId: string): boolean =>
  sidebar.has('favourites', channelId) && !notificationSettings.isHidden(channelId);
