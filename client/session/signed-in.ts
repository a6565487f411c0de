/** For who is signed in: all that hears, keeps and shows what is theirs. One chunk, loaded beside the connection. */
import type { Ready } from '../../shared/protocol.ts';
import { account } from '../accounts/account.svelte.ts';
import { connection } from '../connection/connection.svelte.ts';
import { version } from '../connection/version.svelte.ts';
import { onceWhole, sync } from './room-store.ts';
import { listenToServer } from './server-events.ts';
import { eraseKept, keepFor } from '../device/saved.ts';
import { afterwards, fetchParts, later } from '../ui/lazy.ts';
import { timelines } from '../messages/messages.svelte.ts';
import { notePlaces } from '../navigation/access.ts';
import { navigation } from '../navigation/navigation.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { wholePlace } from '../navigation/short-ids.ts';
import { own } from '../presence/own-status.svelte.ts';
import { followFocus } from '../ui/follow.ts';
import * as layers from '../ui/layers.ts';

export { default as Shell } from '../Shell.svelte';
export { default as Later } from '../ui/Lazy.svelte';
export const ResetPassword = later(() => import('../accounts/ResetPassword.svelte'));

let isListening = false;

afterwards(async () => (await import('../local-time/tell.ts')).tellTimeZone());

export function onSignedIn(ready: Ready): void {
  if (!isListening) {
    listenToServer();
    navigation.steps = layers;
    const place = wholePlace(navigation.place);
    // An address that is whole stays as it is: it may hold the secret of a link to a new password.
    if (place !== navigation.place) navigation.replace(place);
    followFocus(document.body);
  }
  isListening = true;
  const tellOfLost = notePlaces();
  account.you = ready.you;
  account.administers = ready.administers;
  own.chosen = ready.seenAs;
  keepFor(ready.you.id);
  onceWhole(tellOfLost);
  sync.onReady(ready);
  version.hear(ready.client);
  timelines.recall();
  fetchParts();
}

/** The session has ended. Who ended it themselves leaves nothing behind on this device. */
export function onSignedOut(): void {
  account.you = undefined;
  account.administers = undefined;
  notices.forget();
  if (connection.leaving) {
    eraseKept();
    navigation.replace({ page: 'home' });
  }
  keepFor(undefined);
  sync.forget();
}
