/** The channel above or below, as the list shows them; at its end it begins anew. */
import { navigation } from '../navigation/navigation.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { channels } from './channels.svelte.ts';

export function goToNeighbour(step: 1 | -1, which: 'any' | 'unread'): void {
  const { place } = navigation;
  if (place.page !== 'server') return;
  const { serverId, channelId } = place;
  const list = (channels.of(serverId) ?? []).filter(
    ({ id }) => id === channelId || which === 'any' || reads.unread(id) > 0,
  );
  const at = list.findIndex(({ id }) => id === channelId);
  const next = list.at((at + step) % list.length);
  if (next && next.id !== channelId)
    navigation.go({ page: 'server', serverId, channelId: next.id });
}
