// A service worker that serves no page. It shows push messages unless a page already shows the timeline, and opens the
// place of a clicked notification in an existing tab or in a new one.

/**
 * The parts used here, because the types of pages lack those of service workers.
 * @typedef {{ url: string; focus(): Promise<unknown>; postMessage(message: unknown): void }} Tab
 * @typedef {{
 *   matchAll(wanted: object): Promise<Tab[]>;
 *   openWindow(path: string): Promise<unknown>;
 * }} Tabs
 * @typedef {{ clients: Tabs; registration: ServiceWorkerRegistration }} Scope
 * @typedef {{
 *   timelineId: string; position: number; others?: number[]; read: number; path: string;
 *   title: string; body: string;
 * }} Pushed
 * @typedef {Event & { waitUntil(done: Promise<unknown>): void }} Lasting
 * @typedef {Lasting & { notification: Notification }} Clicked
 * @typedef {Lasting & { data: { json(): Pushed } | null }} Push
 */

const { clients, registration } = /** @type {Scope} */ (/** @type {unknown} */ (globalThis));

addEventListener('push', (event) => {
  const push = /** @type {Push} */ (event);
  const pushed = push.data?.json();
  // Takes the same lock as the pages, because each reads the shown notifications.
  if (pushed) push.waitUntil(navigator.locks.request('parley.showing', () => show(pushed)));
});

/**
 * Shows one notification per timeline: the latest message and the number of other unread ones.
 * client/notifications/showing.ts does the same for pages, so that a message that arrives both ways is shown once.
 * @param {Pushed} pushed
 */
async function show({ title, body, timelineId, position, others = [], path, read }) {
  if (await isLookedAt(timelineId)) return;
  const [shown] = await registration.getNotifications({ tag: timelineId });
  /** @type {number[]} */
  const positions = shown?.data.positions ?? [];
  if (positions.includes(position)) return;
  const before = [...new Set([...positions, ...others])].filter((other) => other > read);
  await registration.showNotification(title, {
    ...{ tag: timelineId, icon: '/icon.svg', renotify: true },
    body: before.length === 0 ? body : `${body}\n+ ${before.length} more`,
    data: { timelineId, positions: [...before, position].slice(-100), path },
  });
}

/**
 * True if the timeline is visible in any tab: client/notifications/leader.ts holds these locks.
 * @param {string} timelineId
 */
async function isLookedAt(timelineId) {
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === `parley.looking.${timelineId}`);
}

addEventListener('notificationclick', (event) => {
  const clicked = /** @type {Clicked} */ (event);
  clicked.notification.close();
  clicked.waitUntil(openPath(clicked.notification.data.path));
});

/** @param {string} path */
async function openPath(path) {
  // The most recently focused tab comes first.
  const tabs = await clients.matchAll({ type: 'window', includeUncontrolled: true });
  const tab = tabs.find(({ url }) => isApp(new URL(url).pathname));
  if (tab === undefined) {
    await clients.openWindow(path);
    return;
  }
  tab.postMessage({ open: path });
  await tab.focus();
}

/**
 * True for addresses of the app (client/routes/routes.ts), false for files and pages of the documentation.
 * @param {string} path
 */
const isApp = (path) => /^\/($|(s|direct|friends)(\/|$))/.test(path);
