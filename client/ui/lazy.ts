/** Parts that are seldom used are fetched when they are first shown, or before that, when nothing else is to be done. */
import type { Component } from 'svelte';
import { isOpen } from '../session/socket.ts';

/** How long, in milliseconds, somebody who has just come in is left alone. */
const settleFor = 3_000;

export class LazyComponent<P extends object> {
  /** Once it has come. */
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

/** A component that is shown by ui/Later.svelte. */
export function later<P extends object>(
  fetch: () => Promise<{ default: Component<P> }>,
): LazyComponent<P> {
  const part = new LazyComponent(fetch);
  parts.add(part);
  return part;
}

/** Does something that nobody waits for, each time somebody has come in and settled. */
export const afterwards = (load: () => Promise<unknown>) => void parts.add({ load });

/** So that everything opens at once. */
export function fetchParts(): void {
  clearTimeout(timer);
  timer = setTimeout(() => void fetchAll(), settleFor);
}

/** What cannot be had now is fetched when it is needed, and says then that it did not come. */
async function fetchAll(): Promise<void> {
  for (const part of parts) {
    await idle();
    if (!isOpen()) return;
    await part.load().catch(() => undefined);
  }
}

const idle = () =>
  new Promise<unknown>((resolve) => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(resolve);
    else setTimeout(resolve, 100);
  });
