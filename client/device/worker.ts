/** Registers the service worker (client/worker/worker.ts). */
import { trustedScript } from '../ui/trusted-script.ts';

let registered: Promise<ServiceWorkerRegistration> | undefined;

/**
 * Resolves once it runs, because before that it shows no notification. After a failure the next call tries again.
 * @throws the browser's error, or an Error if the browser discards the worker
 */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  (registered ??= register().catch((error: unknown) => {
    registered = undefined;
    throw error;
  }));

async function register(): Promise<ServiceWorkerRegistration> {
  const { serviceWorker } = navigator;
  const { active, waiting, installing } = await serviceWorker.register(trustedScript('/worker.js'));
  // `ready` never rejects.
  return Promise.race([serviceWorker.ready, discarded(active ?? waiting ?? installing)]);
}

const discarded = (worker: ServiceWorker | null) =>
  new Promise<never>((_resolve, reject) => {
    const look = () => {
      if (worker === null || worker.state === 'redundant')
        reject(new Error('The service worker was discarded.'));
    };
    worker?.addEventListener('statechange', look);
    look();
  });
