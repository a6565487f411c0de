/**
 * A Chromium that push messages reach. Its own push service is Google’s, and the window of a test has none
 * (`pushManager.subscribe` fails there as in a private window): so where it subscribes, it is given a device of ours
 * instead, and what our push service took for that one is given to its service worker. All else is the browser’s.
 */
import type { CDPSession, Page, Worker } from 'playwright-core';
import { query } from '../../server/database/database.ts';
import type { PushedMessage } from '../../shared/push.ts';
import type { TestApp } from './app.ts';
import type { PushDevice } from './push-device.ts';
import type { FakePushService } from './push-service.ts';
import { until } from './time.ts';

export interface PushBrowser {
  /** Those that it subscribed so far. */
  devices: PushDevice[];
  /** Gives what came for the newest of them to the service worker, once so many came, however long the server would wait. */
  bring(many?: number): Promise<void>;
  /** Gives this to the service worker. */
  deliver(message: PushedMessage): Promise<void>;
  /** From now on subscribing fails. */
  refuse(): void;
}

/** Before anything is opened in it. */
export async function openPushBrowser(
  page: Page,
  { db, url }: TestApp,
  service: FakePushService,
): Promise<PushBrowser> {
  const devices: PushDevice[] = [];
  let isRefused = false;
  const context = page.context();
  await context.exposeFunction('newPushDevice', () => {
    if (isRefused) throw new Error('There is no push service.');
    const device = service.device();
    devices.push(device);
    return device;
  });
  // tsx names functions by one of its own, which pages do not have.
  await context.addInitScript(
    `globalThis.__name ??= (it) => it; (${String(replaceSubscribing)})();`,
  );
  // It stays when the pages of the app are closed.
  const beside = await context.newPage();
  // A page behind another is drawn once a second, and every click waits for that.
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
        await query(
          db,
          `update pushes set due_at = now() where due_at > now() + interval '4 seconds'`,
        );
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

/** What stands on the screen, as the browser keeps it. */
export const shownBy = (worker: Worker): Promise<string[]> =>
  worker.evaluate(async () => {
    const scope = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const all = await scope.registration.getNotifications();
    return all.map(({ title, body }) => `${title}: ${body}`);
  });

/** Clicks the first of them. Answers with what it then opens in a new tab: a browser opens none for a test’s click. */
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
