/** The rules of notifications, case by case, as one would explain them to a person. */
import type { NotificationSetting, QuietHours } from '../../shared/notifications.ts';

export interface ModelledMessage {
  isMine: boolean;
  isDeleted?: boolean;
  /** A line in which the service reports an action. */
  isLine?: boolean;
  isMentioned: boolean;
  isUnwanted?: boolean;
  hasKeyword: boolean;
}

/** The settings for everything, for the server if it is in one, and for the timeline itself. */
export interface ModelledChoices {
  all?: NotificationSetting | undefined;
  server: NotificationSetting | 'in no server' | undefined;
  timeline?: NotificationSetting | undefined;
  author?: NotificationSetting | undefined;
  isMuted: boolean;
  isQuiet: boolean;
}

export function modelOf(
  message: ModelledMessage,
  { all, server, timeline, author, isMuted, isQuiet }: ModelledChoices,
): 'nothing' | 'badge' | 'notification' {
  if (message.isMine) return 'nothing';
  if (message.isDeleted) return 'nothing';

  let level = all?.level ?? 'mentions';
  if (server === 'in no server' && level === 'mentions') level = 'all';
  if (server !== 'in no server' && server?.level) level = server.level;
  if (timeline?.level) level = timeline.level;

  if (isMuted && level === 'nothing') return 'nothing';
  if (isMuted && message.isMentioned) return 'badge';
  if (isMuted) return 'nothing';
  if (message.isUnwanted) return 'badge';
  if (message.isLine) return 'badge';
  if (level === 'nothing') return 'badge';
  const isForMe = message.isMentioned || message.hasKeyword;
  if (level === 'mentions' && !isForMe) return 'badge';

  const exceptions = [all, server, timeline, author];
  const isExempt = exceptions.some((one) => one !== 'in no server' && one?.exempt);
  return isQuiet && !isExempt ? 'badge' : 'notification';
}

/** True when quiet hours that began on this day or on the day before include `now`, by the clocks of the zone. */
export function isQuietAt({ from, to, timeZone, days }: QuietHours, now: Date): boolean {
  const local = Date.parse(`${now.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
  const today = Math.floor(local / dayMs);
  const end = to > from ? to : to + dayMs / minuteMs;
  return [today, today - 1].some((day) => {
    // The first of January 1970 was a Thursday.
    const weekday = ((day + 3) % 7) + 1;
    const minute = Math.floor((local - day * dayMs) / minuteMs);
    return (days?.includes(weekday) ?? true) && minute >= from && minute < end;
  });
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
