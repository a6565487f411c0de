/** Somebody's card, as the server has them in which it was asked for, if it was in one. */
import { later } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';

const ProfileCard = later(() => import('./ProfileCard.svelte'));

/** Beside what was pressed for it. */
export function showProfile(
  serverId: string | undefined,
  userId: string,
  opener?: EventTarget | null,
): void {
  const from = opener instanceof Element ? opener.getBoundingClientRect() : undefined;
  overlay.open(ProfileCard, () =>
    serverId === undefined || servers.has(serverId) ? { serverId, userId, from } : undefined,
  );
}
