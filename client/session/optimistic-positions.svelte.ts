/** Shows moved rows at their new position until the change that moves them arrives. */
import { SvelteMap } from 'svelte/reactivity';

interface OptimisticPosition {
  categoryId?: string | null;
  position: number;
}

interface Row {
  id: string;
  version: number;
}

/** After the server's answer, the position is shown over version `over` only, because the next version has its own. */
interface Shown {
  place: OptimisticPosition;
  over?: number;
}

export class Places {
  readonly #shown = new SvelteMap<string, Shown>();

  show<R extends Row>(row: R): R {
    const { place, over = row.version } = this.#shown.get(row.id) ?? {};
    return place && over === row.version ? { ...row, ...place } : row;
  }

  /** The answer arrives before the change and lacks the rows that were pushed aside, so it is not applied. */
  async during(
    { id, version: over }: Row,
    place: OptimisticPosition,
    move: () => Promise<Row>,
  ): Promise<void> {
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
