import type { Ready } from '../../shared/protocol.ts';
import { attached } from '../files/attached.svelte.ts';
import { account } from '../accounts/account.svelte.ts';
import { connection } from '../connection/connection.svelte.ts';
import { version } from '../connection/version.svelte.ts';
import { onceWhole, sync } from './room-store.ts';
import { listenToServer } from './server-events.ts';
import { removeEverything, openFor } from '../device/saved.ts';
import { afterwards, fetchParts, lazy } from '../ui/lazy.ts';
import { timelines } from '../messages/messages.svelte.ts';
import { notePlaces } from '../navigation/lost-access.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { wholePlace } from '../routes/short-ids.ts';
import { ownStatus } from '../presence/own-status.svelte.ts';
import { followFocus } from '../ui/follow.ts';
import * as layers from '../ui/layers.ts';
import { isOpen } from './socket.ts';

export { default as Shell } from '../Shell.svelte';
export { default as Lazy } from '../ui/Lazy.svelte';
export const ResetPasswordPage = lazy(() => import('../accounts/ResetPassword.svelte'));

let isListening = false;

afterwards(async () => (await import('./settled.ts')).settle());

export function onSignedIn(ready: Ready): void {
  if (!isListening) {
    listenToServer();
    navigation.steps = layers;
    const place = wholePlace(navigation.place);
    // A complete address is not replaced, because it can contain the secret of a password reset link.
    if (place !== navigation.place) navigation.replace(place);
    followFocus(document.body);
  }
  isListening = true;
  const reportLost = notePlaces();
  account.you = ready.you;
  account.administers = ready.administers;
  account.canCreateServers = ready.canCreateServers;
  ownStatus.chosen = ready.seenAs;
  openFor(ready.you.id);
  onceWhole(reportLost);
  sync.onReady(ready);
  version.receive(ready.client);
  timelines.recall();
  fetchParts(isOpen);
}

/** Shows the saved state, if the server has not answered yet. */
export async function openLastSeen(): Promise<void> {
  if (!account.you) await (await import('./last-seen.ts')).open(onSignedIn);
}

/** Ends the session. If the user signed out, their data is erased from this device. */
export function onSignedOut(): void {
  account.you = undefined;
  account.administers = undefined;
  notices.forget();
  if (connection.leaving) {
    removeEverything();
    attached.clear();
    navigation.replace({ page: 'home' });
  }
  openFor(undefined);
  sync.forget();
}
