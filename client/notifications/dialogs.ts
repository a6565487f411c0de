import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { placeNow, type NotificationPlace } from './place.ts';

const PlaceNotifications = lazy(() => import('./PlaceNotifications.svelte'));

/** The dialog closes when the place is gone. */
export function choosePlaceNotifications(asked: NotificationPlace): void {
  overlay.open(PlaceNotifications, () => {
    const place = placeNow(asked);
    return place && { place };
  });
}
