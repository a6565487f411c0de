/** The place above or below, as the list beside shows them; at its end it begins anew. */
import { visibleIn } from '../channels/visible.ts';
import { conversations } from '../conversations/conversations.svelte.ts';
import { reads } from '../reads/reads.svelte.ts';
import { navigation } from './navigation.svelte.ts';
import type { Route } from './routes.ts';

interface Neighbour {
  id: string;
  place: Route;
}

export function goToNeighbour(step: 1 | -1, which: 'any' | 'unread'): void {
  const { place } = navigation;
  const here = currentIn(place);
  const list = listedBeside(place).filter(
    ({ id }) => id === here || which === 'any' || reads.unread(id) > 0,
  );
  const at = list.findIndex(({ id }) => id === here);
  const next = list.at((at + step) % list.length);
  if (next && next.id !== here) navigation.go(next.place);
}

function listedBeside(place: Route): Neighbour[] {
  if (place.page === 'direct')
    return conversations.shown.map(({ id }) => ({
      id,
      place: { page: 'direct', conversationId: id },
    }));
  if (place.page !== 'server') return [];
  const { serverId, channelId: here } = place;
  return visibleIn(serverId, here).map(({ id }) => ({
    id,
    place: { page: 'server', serverId, channelId: id },
  }));
}

const currentIn = (place: Route) =>
  place.page === 'direct'
    ? place.conversationId
    : place.page === 'server'
      ? place.channelId
      : undefined;
