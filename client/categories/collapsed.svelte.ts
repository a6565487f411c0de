/** Which categories are collapsed: on this device, in all its tabs. */
import { SvelteSet } from 'svelte/reactivity';
import { keep, kept, whenKeptElsewhere } from '../device/storage.ts';

const place = 'collapsed';

class Collapsed {
  readonly #ids = new SvelteSet(read(kept(place)));

  constructor() {
    whenKeptElsewhere((key, value) => {
      if (key !== place) return;
      this.#ids.clear();
      for (const id of read(value)) this.#ids.add(id);
    });
  }

  has(categoryId: string) {
    return this.#ids.has(categoryId);
  }

  toggle(categoryId: string) {
    if (!this.#ids.delete(categoryId)) this.#ids.add(categoryId);
    keep(place, [...this.#ids]);
  }
}

const read = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [];

export const collapsed = new Collapsed();
