/** What somebody who arranges channels is asked back. It stays open when the layout changes under it. */
import { tick } from 'svelte';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';

type Asking = { serverId: string } & (
  | { what: 'create channel'; categoryId: string | null }
  | { what: 'create category' }
  | { what: 'move channel'; channel: Channel }
  | { what: 'rename category' | 'delete category'; category: Category }
);

class Arranging {
  asking = $state.raw<Asking>();
  #list: Element | null | undefined;

  ask(asking: Asking) {
    this.#list = document.activeElement?.closest('nav, dialog');
    this.asking = asking;
  }

  close() {
    this.asking = undefined;
  }

  /** What asked has gone, with the focus: that goes to the beginning of the list. */
  async gone() {
    await tick();
    this.#list?.querySelector('button')?.focus();
  }
}

export const arranging = new Arranging();
