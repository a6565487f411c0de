/** What runs in a page of a test before anything of its own. */

/**
 * Chromium takes a notification away after 25 seconds, unless it is to wait for somebody: on a slow machine that is
 * before a test has looked. For pages and service workers; as text: tsx names functions by one of its own.
 */
export const notificationsStay = `if ('ServiceWorkerRegistration' in globalThis) {
  const own = ServiceWorkerRegistration.prototype;
  const { showNotification } = own;
  own.showNotification = function (title, options) {
    return showNotification.call(this, title, { ...options, requireInteraction: true });
  };
}`;

/** What a page would fetch when nothing else is to be done, it fetches when it is needed. As text: see bundle-size.ts. */
export const neverIdle = 'globalThis.requestIdleCallback = () => 0;';

export function tellOfViolations(): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`the policy forbade ${event.violatedDirective}: ${event.blockedURI}`);
  });
}
