/** The global object, which TypeScript knows only as that of any worker. */
export const scope = globalThis as unknown as ServiceWorkerGlobalScope;
