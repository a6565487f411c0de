/**
 * Several messages of one timeline are one notification: the one that came last, and how many more. For what is pushed
 * public/notifications.js does the same, so a message of both is shown once.
 */
import { asRecord } from '../device/storage.ts';

interface Shown {
  timelineId: string;
  position: number;
  /** What a click opens. */
  path: string;
  title: string;
  body: string;
}

const maxPositions = 100;

/**
 * `isRead` says of the other positions whether they count no longer. Returns whether it was not shown before.
 */
export async function showOne(
  registration: ServiceWorkerRegistration,
  { timelineId, position, path, title, body }: Shown,
  isRead: (position: number) => boolean,
): Promise<boolean> {
  const [shown] = await registration.getNotifications({ tag: timelineId });
  const before = positionsOf(shown).filter((other) => !isRead(other));
  if (before.includes(position)) return false;
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

/** Of the messages that a notification stands for. */
export function positionsOf(notification: Notification | undefined): number[] {
  const { positions } = asRecord(notification?.data);
  return Array.isArray(positions) ? positions.map(Number) : [];
}
