/** Moves channels, categories and servers by dragging. The menus offer the same moves without a pointer. */
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import type { Server } from '../../shared/servers.ts';
import { afterwards } from '../ui/lazy.ts';
import { fallbackNotice, partFailed } from '../ui/part-failed.ts';

export interface DragItems {
  channel: Channel;
  category: Category;
  /** A channel among the user’s favourites. */
  favourite: Channel;
  server: Server;
}

/** The place on which an item of each kind can be dropped. */
export interface DropPlaces extends Omit<DragItems, 'channel'> {
  /** Beside a channel, or into a category or the group without one. */
  channel: Channel | { serverId: string; category?: Category | undefined };
}

export type Side = 'above' | 'below';

const loadDrops = () => import('./drops.ts');
afterwards(loadDrops);

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
        // Also allows to drop the link elsewhere.
        if (dataTransfer) dataTransfer.effectAllowed = 'all';
        this.#held = what;
      },
      ondragend: () => {
        this.#letGo();
      },
    };
  }

  /** Attributes that make an element a drop target: above or below it, or `only` below. */
  target<K extends keyof DragItems>(kind: K, id: string, place: DropPlaces[K], only?: 'below') {
    const sideOf = ({ clientY, currentTarget }: DragEvent): Side => {
      const { top, height } = (currentTarget as Element).getBoundingClientRect();
      return only ?? (clientY < top + height / 2 ? 'above' : 'below');
    };
    return {
      ondragover: (event: DragEvent) => {
        if (!this.#held[kind]) return;
        event.preventDefault();
        if (event.dataTransfer) event.dataTransfer.dropEffect = 'move';
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
        const side = sideOf(event);
        if (!('id' in place) || what.id !== place.id) void drop(kind, what, place, side);
      },
    };
  }

  #letGo() {
    this.#held = {};
    this.#over = undefined;
  }
}

const drop = <K extends keyof DragItems>(
  kind: K,
  what: DragItems[K],
  place: DropPlaces[K],
  side: Side,
) =>
  loadDrops()
    .then(({ drops }) => drops[kind](what, place, side))
    .catch(() => {
      fallbackNotice.show(`${partFailed.title}. ${partFailed.text}`);
    });

export const dragging = new Dragging();
