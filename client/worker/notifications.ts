/**
 * Shows push messages unless a page already shows the timeline, and opens the place of a clicked notification in an
 * existing tab or in a new one.
 */
import { showOne } from '../notifications/showing.ts';
import { scope } from './scope.ts';

/** From server/push/content.ts. */
interface Pushed {
  timelineId: string;
  position: number;
  others?: number[];
  read: number;
  path: string;
  title: string;
  body: string;
  replyAs?: string;
}

export async function receive(message: PushMessageData | null): Promise<void> {
  const pushed = message?.json() as Pushed | undefined;
  // Takes the same lock as the pages, because each reads the shown notifications.
  if (pushed) await navigator.locks.request('parley.showing', () => show(pushed));
}

async function show({ others = [], read, replyAs, ...pushed }: Pushed): Promise<void> {
  if (await isLookedAt(pushed.timelineId)) return;
  const shown = { ...pushed, notified: others, silent: false, replyAs };
  await showOne(scope.registration, shown, (position) => position <= read);
}

/** True if the timeline is visible in any tab: client/notifications/leader.ts holds these locks. */
async function isLookedAt(timelineId: string): Promise<boolean> {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `parley.looking.${timelineId}`);
}

export async function open(notification: Notification): Promise<void> {
  const { path } = notification.data as { path: string };
  notification.close();
  // The most recently focused tab comes first.
  const tabs = await scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find(({ url }) => isApp.test(new URL(url).pathname));
  if (tab === undefined) {
    await scope.clients.openWindow(path);
    return;
  }
  tab.postMessage({ open: path });
  await tab.focus();
}

/** Addresses of the app (client/routes/routes.ts), but not of files and pages of the documentation. */
const isApp = /^\/($|(s|direct|friends)(\/|$))/;
