/**
 * A Chromium that receives push messages. Its own push service is Google’s, and a test window has none
 * (`pushManager.subscribe` fails there as in a private window). So subscribing returns a device of the fake push
 * service, and messages for that device are given to the service worker. All else is the browser’s.
 */
import type { CDPSession, Page, Worker } from 'playwright-core';
import type { PushedMessage } from '../../shared/push.ts';
import type { TestApp } from './app.ts';
import type { PushDevice } from './push-device.ts';
import { hurryPushes } from './push-queue.ts';
import type { FakePushService } from './push-service.ts';
import { until } from './time.ts';

export interface PushBrowser {
  devices: PushDevice[];
  /** Delivers the newest device's messages to the worker once there are `many`, without the server's delays. */
  bring(many?: number): Promise<void>;
  deliver(message: PushedMessage): Promise<void>;
  refuse(): void;
}

/** Must be called before any page is opened in it. */
export async function openPushBrowser(
  page: Page,
  { db, url }: TestApp,
  service: FakePushService,
): Promise<PushBrowser> {
  const devices: PushDevice[] = [];
  let isRefused = false;
  const context = page.context();
  await context.exposeFunction('newPushDevice', () => {
    if (isRefused) throw new Error('No push service is available.');
    const device = service.device();
    devices.push(device);
    return device;
  });
  // Pages lack the helper in which tsx wraps named functions.
  await context.addInitScript(
    `globalThis.__name ??= (it) => it; (${String(replaceSubscribing)})();`,
  );
  // Stays open when the pages of the app are closed.
  const beside = await context.newPage();
  // A background page is drawn once a second, and every click waits for that.
  await page.bringToFront();
  const protocol = await context.newCDPSession(beside);
  const registrationIds: string[] = [];
  protocol.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    for (const { registrationId, scopeURL } of registrations)
      if (scopeURL.startsWith(url)) registrationIds.push(registrationId);
  });
  await protocol.send('ServiceWorker.enable');
  const deliver = async (message: PushedMessage) => {
    await until(() => registrationIds.length > 0);
    await deliverTo(protocol, url, registrationIds.at(-1)!, message);
  };
  return {
    devices,
    deliver,
    refuse: () => void (isRefused = true),
    async bring(many = 1) {
      const came = () => service.sentTo(devices.at(-1)!);
      await until(async () => {
        await hurryPushes(db);
        return came().length >= many;
      });
      for (const message of came()) await deliver(message);
    },
  };
}

const deliverTo = (
  protocol: CDPSession,
  origin: string,
  registrationId: string,
  message: PushedMessage,
) =>
  protocol.send('ServiceWorker.deliverPushMessage', {
    ...{ origin, registrationId },
    data: JSON.stringify(message),
  });

/** Runs in the page, before anything of its own. */
function replaceSubscribing(): void {
  const key = 'push-of-test';
  const own = globalThis as unknown as { newPushDevice(): Promise<PushDevice> };
  PushManager.prototype.getSubscription = () => {
    const kept = localStorage.getItem(key);
    if (kept === null) return Promise.resolve(null);
    const { endpoint, applicationServerKey, ...keys } = JSON.parse(kept) as PushDevice & {
      applicationServerKey: number[];
    };
    return Promise.resolve({
      endpoint,
      options: { applicationServerKey: new Uint8Array(applicationServerKey).buffer },
      toJSON: () => ({ endpoint, keys }),
      unsubscribe: () => {
        localStorage.removeItem(key);
        return Promise.resolve(true);
      },
    } as unknown as PushSubscription);
  };
  PushManager.prototype.subscribe = async function (options) {
    const given = options?.applicationServerKey as string;
    const text = atob(given.replaceAll('-', '+').replaceAll('_', '/'));
    const applicationServerKey = [...text].map((sign) => sign.charCodeAt(0));
    const device = await own.newPushDevice();
    localStorage.setItem(key, JSON.stringify({ ...device, applicationServerKey }));
    return (await this.getSubscription())!;
  };
}

/**
 * Notifications that the browser currently shows. Takes turns with the worker, because Chromium forgets a
 * notification if it lists all while it shows that one.
 */
export const shownBy = (worker: Worker): Promise<string[]> =>
  worker.evaluate(() =>
    navigator.locks.request('parley.showing', async () => {
      const scope = globalThis as unknown as { registration: ServiceWorkerRegistration };
      const all = await scope.registration.getNotifications();
      return all.map(({ title, body }) => `${title}: ${body}`);
    }),
  );

/** Clicks the first notification. Returns the path that it opens: browsers open no tab for a test’s click. */
export const clickShown = (worker: Worker): Promise<string | undefined> =>
  worker.evaluate(async () => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration;
      clients: { openWindow(path: string): Promise<void> };
      NotificationEvent: new (type: string, init: object) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    return new Promise<string | undefined>((resolve) => {
      scope.clients.openWindow = (path) => {
        resolve(path);
        return Promise.resolve();
      };
      dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }));
      setTimeout(() => {
        resolve(undefined);
      }, 500);
    });
  });

/** Replies in the first notification. False if it offers no reply. */
export const replyToShown = (worker: Worker, reply: string): Promise<boolean> =>
  worker.evaluate(async (reply) => {
    const scope = globalThis as unknown as {
      registration: ServiceWorkerRegistration;
      NotificationEvent: new (type: string, init: object) => Event;
    };
    const [notification] = await scope.registration.getNotifications();
    const { actions = [] } = notification as unknown as { actions?: { action: string }[] };
    const init = { notification, action: 'reply', reply };
    if (!actions.some(({ action }) => action === 'reply')) return false;
    dispatchEvent(new scope.NotificationEvent('notificationclick', init));
    return true;
  }, reply);
