import { lazy } from '../ui/lazy.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';

const ProfileCard = lazy(() => import('./ProfileCard.svelte'));

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
