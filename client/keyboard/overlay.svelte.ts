/** What the keyboard opened over everything else. */
import type { Component } from 'svelte';

type Kind = keyof typeof views;

const views = {
  switcher: async () => (await import('../switcher/Switcher.svelte')).default,
  shortcuts: async () => (await import('./ShortcutList.svelte')).default,
} satisfies Record<string, () => Promise<Component<{ onclose: () => void }>>>;

class Overlay {
  #shown = $state<Kind>();
  #View = $state.raw<Component<{ onclose: () => void }>>();

  /** The view to show, once it is here. */
  get View() {
    return this.#shown && this.#View;
  }

  /** Shows it, or no longer. */
  async toggle(kind: Kind) {
    this.#shown = this.#shown === kind ? undefined : kind;
    const View = await views[kind]();
    if (this.#shown === kind) this.#View = View;
  }

  close() {
    this.#shown = undefined;
    this.#View = undefined;
  }

  /** Fetches the switcher when nothing else is to be done, so that it opens at once. */
  prepare() {
    const fetch = () => void views.switcher();
    if ('requestIdleCallback' in globalThis) requestIdleCallback(fetch);
    else setTimeout(fetch, 2_000);
  }
}

export const overlay = new Overlay();
