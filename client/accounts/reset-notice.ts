import { connection } from '../connection/connection.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { longDay } from '../ui/dates.ts';

/** Shows once after each sign-in that the password was reset, because an administrator can have used the link. */
export function showResetNotice(): void {
  const { passwordResetAt } = connection;
  if (passwordResetAt === undefined) return;
  connection.passwordResetAt = undefined;
  const day = longDay(new Date(passwordResetAt));
  notices.showPersistent(
    `Your password was reset on ${day} with a link from an administrator. If you didn’t do that, change it in Settings.`,
  );
}
