/** Loads rarely used components when they are first shown, or earlier while the browser is idle. */
import type { Component } from 'svelte';

/** Delay after sign-in before loading in the background, in milliseconds. */
const settleFor = 3_000;

export class LazyComponent<P extends object> {
  /** Set once loaded. */
  view: Component<P> | undefined;

  readonly #fetch: () => Promise<{ default: Component<P> }>;

  constructor(fetch: () => Promise<{ default: Component<P> }>) {
    this.#fetch = fetch;
  }

  async load(): Promise<Component<P>> {
    this.view ??= (await this.#fetch()).default;
    return this.view;
  }
}

const parts = new Set<{ load(): Promise<unknown> }>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** A component that ui/Lazy.svelte shows. */
export function lazy<P extends object>(
  fetch: () => Promise<{ default: Component<P> }>,
): LazyComponent<P> {
  const part = new LazyComponent(fetch);
  parts.add(part);
  return part;
}

/** Also runs `load` in the background, each time a user has signed in. */
export const afterwards = (load: () => Promise<unknown>) => void parts.add({ load });

/** Loads all in the background while `canGoOn`, so that everything opens at once. */
export function fetchParts(canGoOn: () => boolean): void {
  clearTimeout(timer);
  timer = setTimeout(() => void fetchAll(canGoOn), settleFor);
}

/** Ignores a failed load: the component is loaded again when needed, and shows the error then. */
async function fetchAll(canGoOn: () => boolean): Promise<void> {
  for (const part of parts) {
    await idle();
    if (!canGoOn()) return;
    await part.load().catch(() => undefined);
  }
}

const idle = () =>
  new Promise<unknown>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 100);
  });
