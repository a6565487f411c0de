/**
 * Shows one notification per timeline: the latest message and the number of other unread ones. public/notifications.js
 * does the same for push messages, so that a message that arrives both ways is shown once.
 */
import { asRecord } from '../device/storage.ts';

interface Shown {
  timelineId: string;
  position: number;
  /** The unread positions of the timeline that this page has notified. */
  told: readonly number[];
  /** The path that a click opens. */
  path: string;
  title: string;
  body: string;
}

const maxPositions = 100;

/**
 * Shows a message in the notification of its timeline. Other messages are counted unless `isRead` is true for their
 * positions. Returns false when the notification already contains the message.
 */
export async function showOne(
  registration: ServiceWorkerRegistration,
  { timelineId, position, told, path, title, body }: Shown,
  isRead: (position: number) => boolean,
): Promise<boolean> {
  const [shown] = await registration.getNotifications({ tag: timelineId });
  const known = positionsOf(shown);
  if (known.includes(position)) return false;
  // `told` is needed, because the browser may not list a notification that was shown a moment ago.
  const before = [...new Set([...known, ...told])].filter(
    (other) => other !== position && !isRead(other),
  );
  const how = {
    ...{ tag: timelineId, icon: '/icon.svg', renotify: true },
    body: before.length === 0 ? body : `${body}\n+ ${before.length} more`,
    // The page plays its own sound, if one is chosen.
    silent: true,
    data: { timelineId, positions: [...before, position].slice(-maxPositions), path },
  };
  await registration.showNotification(title, how);
  return true;
}

/** Returns the positions of the messages in a notification. */
export function positionsOf(notification: Notification | undefined): number[] {
  const { positions } = asRecord(notification?.data);
  return Array.isArray(positions) ? positions.map(Number) : [];
}
