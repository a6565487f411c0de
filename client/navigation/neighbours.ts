/** Moves to the place above or below in the list, and from one end to the other. */
import { conversations } from '../conversations/conversations.svelte.ts';
import { countedIn } from '../notifications/muting.ts';
import { navigation } from './navigation.svelte.ts';
import type { Route } from '../routes/routes.ts';
import { visibleIn } from '../sidebar/visible.ts';

interface Neighbour {
  id: string;
  place: Route;
}

export function goToNeighbour(step: 1 | -1, which: 'any' | 'unread'): void {
  const { place } = navigation;
  const here = currentIn(place);
  const list = listedBeside(place).filter(
    ({ id }) => id === here || which === 'any' || countedIn(id, serverIn(place)) > 0,
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

const serverIn = (place: Route) => (place.page === 'server' ? place.serverId : undefined);

const currentIn = (place: Route) =>
  place.page === 'direct'
    ? place.conversationId
    : place.page === 'server'
      ? place.channelId
      : undefined;
