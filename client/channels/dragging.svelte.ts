/** Moves channels and categories by dragging. The menus offer the same moves without a pointer. */
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';

interface DragItems {
  channel: Channel;
  category: Category;
}
export type Side = 'above' | 'below';

class Dragging {
  #held = $state.raw<Partial<DragItems>>({});
  #over = $state.raw<{ id: string; side: Side }>();

  /** The side of a row where the line is drawn while an item is dragged over it. */
  at(id: string): Side | undefined {
    return this.#over?.id === id ? this.#over.side : undefined;
  }

  source(what: Partial<DragItems>) {
    return {
      draggable: true,
      ondragstart: ({ dataTransfer }: DragEvent) => {
        if (dataTransfer) dataTransfer.effectAllowed = 'move';
        this.#held = what;
      },
      ondragend: () => {
        this.#letGo();
      },
    };
  }

  /** Attributes that make an element a drop target: above or below it, or `only` below. */
  target<K extends keyof DragItems>(
    kind: K,
    id: string,
    put: (what: DragItems[K], side: Side) => void,
    only?: 'below',
  ) {
    const sideOf = ({ clientY, currentTarget }: DragEvent): Side => {
      const { top, height } = (currentTarget as Element).getBoundingClientRect();
      return only ?? (clientY < top + height / 2 ? 'above' : 'below');
    };
    return {
      ondragover: (event: DragEvent) => {
        if (!this.#held[kind]) return;
        event.preventDefault();
        const side = sideOf(event);
        if (this.at(id) !== side) this.#over = { id, side };
      },
      ondragleave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(currentTarget as Element).contains(relatedTarget as Node | null))
          this.#over = undefined;
      },
      ondrop: (event: DragEvent) => {
        const what = this.#held[kind];
        if (!what) return;
        event.preventDefault();
        this.#letGo();
        put(what, sideOf(event));
      },
    };
  }

  #letGo() {
    this.#held = {};
    this.#over = undefined;
  }
}

export const dragging = new Dragging();
