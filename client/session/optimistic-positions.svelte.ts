/** Where things are shown that are on their way to another place, until the change is heard that puts them there. */
import { SvelteMap } from 'svelte/reactivity';

interface Place {
  categoryId?: string | null;
  position: number;
}

interface Row {
  id: string;
  version: number;
}

/** Once the server has answered, it is shown over this version alone: the next has a place of its own. */
interface Shown {
  place: Place;
  over?: number;
}

export class Places {
  readonly #shown = new SvelteMap<string, Shown>();

  show<R extends Row>(row: R): R {
    const { place, over = row.version } = this.#shown.get(row.id) ?? {};
    return place && over === row.version ? { ...row, ...place } : row;
  }

  /** An answer comes before its change, and says nothing of what is pushed aside: so it is not taken. */
  async during({ id, version: over }: Row, place: Place, move: () => Promise<Row>): Promise<void> {
    const shown: Shown = { place };
    this.#shown.set(id, shown);
    const isLatest = () => this.#shown.get(id) === shown;
    try {
      const { version } = await move();
      if (!isLatest()) return;
      if (version === over) this.#shown.delete(id);
      else this.#shown.set(id, { place, over });
    } catch (error) {
      if (isLatest()) this.#shown.delete(id);
      throw error;
    }
  }
}
