/** Registers the service worker. It serves no page, but lets a notification outlive the tab that showed it. */
import { trustedScript } from '../ui/trusted-script.ts';

let registered: Promise<ServiceWorkerRegistration> | undefined;

/** Resolves once it runs, because before that no notification can be shown. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  (registered ??= navigator.serviceWorker
    .register(trustedScript('/notifications.js'))
    .then(() => navigator.serviceWorker.ready));
