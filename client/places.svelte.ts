/** Where things are shown that are on their way to another place, until the server has said so. */
import { SvelteMap } from 'svelte/reactivity';

interface Place {
  categoryId?: string | null;
  position: number;
}

export class Places {
  readonly #places = new SvelteMap<string, Place>();

  show<R extends { id: string }>(row: R): R {
    const place = this.#places.get(row.id);
    return place ? { ...row, ...place } : row;
  }

  async during(id: string, place: Place, move: () => Promise<void>): Promise<void> {
    this.#places.set(id, place);
    try {
      await move();
    } finally {
      if (this.#places.get(id) === place) this.#places.delete(id);
    }
  }
}
