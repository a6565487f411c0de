/**
 * Chromium removes a notification after 25 seconds unless it requires interaction: on a slow machine, before a test has
 * looked. For pages and service workers. As text: tsx wraps named functions in a helper that pages lack.
 */
export const notificationsStay = `if ('ServiceWorkerRegistration' in globalThis) {
  const own = ServiceWorkerRegistration.prototype;
  const { showNotification } = own;
  own.showNotification = function (title, options) {
    return showNotification.call(this, title, { ...options, requireInteraction: true });
  };
}`;

/** Makes a page load parts when needed, and not in idle time. */
export const neverIdle = 'globalThis.requestIdleCallback = () => 0;';

export function reportViolations(): void {
  document.addEventListener('securitypolicyviolation', (event) => {
    console.error(`the policy forbade ${event.violatedDirective}: ${event.blockedURI}`);
  });
}
