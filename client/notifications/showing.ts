/**
 * Shows one notification per timeline: the latest message and the number of other unread ones. Pages and the service
 * worker use it, so that a message that arrives both ways is shown once.
 */

interface Shown {
  timelineId: string;
  position: number;
  /** The unread positions of the timeline that this page has already notified. */
  notified: readonly number[];
  path: string;
  title: string;
  body: string;
  silent: boolean;
  /** The user’s id if they may send messages there, so that the notification offers a reply. */
  replyAs: string | undefined;
}

/** Platforms without text fields in notifications show a button instead, which opens the timeline. */
const replyField = { action: 'reply', type: 'text', title: 'Reply', placeholder: 'Message' };

const maxPositions = 100;

/** False when the notification already has the message. Positions for which `isRead` is true are not counted. */
export async function showOne(
  registration: ServiceWorkerRegistration,
  { timelineId, position, notified, path, title, body, silent, replyAs }: Shown,
  isRead: (position: number) => boolean,
): Promise<boolean> {
  const [shown] = await registration.getNotifications({ tag: timelineId });
  const known = positionsOf(shown);
  if (known.includes(position)) return false;
  // `notified` is needed, because the browser can omit a notification that was shown a moment ago.
  const before = [...new Set([...known, ...notified])].filter(
    (other) => other !== position && !isRead(other),
  );
  const how = {
    ...{ tag: timelineId, icon: '/icon.svg', renotify: true },
    body: before.length === 0 ? body : `${body}\n+ ${before.length} more`,
    silent,
    ...(replyAs !== undefined && { actions: [replyField] }),
    data: { timelineId, positions: [...before, position].slice(-maxPositions), path, replyAs },
  };
  await registration.showNotification(title, how);
  return true;
}

export function positionsOf(notification: Notification | undefined): number[] {
  const { positions } = (notification?.data ?? {}) as { positions?: unknown };
  return Array.isArray(positions) ? positions.map(Number) : [];
}
