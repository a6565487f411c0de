import { SvelteSet } from 'svelte/reactivity';
import { load, save, onSavedElsewhere } from '../device/storage.ts';

const storageKey = 'collapsed';

class Collapsed {
  readonly #ids = new SvelteSet(read(load(storageKey)));

  constructor() {
    onSavedElsewhere((key, value) => {
      if (key !== storageKey) return;
      this.#ids.clear();
      for (const id of read(value)) this.#ids.add(id);
    });
  }

  has(categoryId: string) {
    return this.#ids.has(categoryId);
  }

  toggle(categoryId: string) {
    if (!this.#ids.delete(categoryId)) this.#ids.add(categoryId);
    save(storageKey, [...this.#ids]);
  }
}

const read = (found: unknown): string[] =>
  Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [];

export const collapsed = new Collapsed();
