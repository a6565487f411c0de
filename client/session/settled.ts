/** Starts deferred work, some time after each sign-in. */
import { account } from '../accounts/account.svelte.ts';
import { showResetNotice } from '../accounts/reset-notice.ts';
import { registerWorker } from '../device/worker.ts';
import { offerInstall } from '../install/offer.ts';
import './last-seen.ts';
import { sendTimeZone } from '../local-time/send.ts';
import { begin } from '../notifications/begin.ts';
import { takeReplies } from '../notifications/unsent-replies.ts';

export async function settle(): Promise<void> {
  showResetNotice();
  if (!account.isGuest) offerInstall();
  await Promise.allSettled([registerWorker(), sendTimeZone(), begin(), takeReplies()]);
}
