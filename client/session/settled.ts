/** Starts what can wait until some time after each sign-in. */
import { showResetNotice } from '../accounts/reset-notice.ts';
import { registerWorker } from '../device/worker.ts';
import './last-seen.ts';
import { sendTimeZone } from '../local-time/send.ts';
import { begin } from '../notifications/begin.ts';

export async function settle(): Promise<void> {
  showResetNotice();
  await Promise.allSettled([registerWorker(), sendTimeZone(), begin()]);
}
