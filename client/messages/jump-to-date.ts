import { navigation } from '../navigation/navigation.svelte.ts';
import type { Route } from '../routes/routes.ts';
import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';

export type TimelinePlace = Required<
  | Omit<Extract<Route, { page: 'server' }>, 'position'>
  | Omit<Extract<Route, { page: 'direct' }>, 'position'>
>;

const JumpToDate = lazy(() => import('./JumpToDate.svelte'));

export const timelineOf = (place: TimelinePlace): string =>
  place.page === 'server' ? place.channelId : place.conversationId;

export function timelineHere(): TimelinePlace | undefined {
  const { place } = navigation;
  if (place.page === 'server' && place.channelId !== undefined) {
    const { page, serverId, channelId } = place;
    return { page, serverId, channelId };
  }
  if (place.page !== 'direct' || place.conversationId === undefined) return undefined;
  return { page: place.page, conversationId: place.conversationId };
}

/** Asks for a day in the open timeline. The dialog closes when the user leaves the timeline. */
export function askForDate(day?: Date): void {
  const place = timelineHere();
  if (place === undefined) return;
  const timelineId = timelineOf(place);
  overlay.open(JumpToDate, () => {
    const here = timelineHere();
    return here && timelineOf(here) === timelineId ? { place, day } : undefined;
  });
}
