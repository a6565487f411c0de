/** The global object, typed as a service worker’s. */
export const scope = globalThis as unknown as ServiceWorkerGlobalScope;
