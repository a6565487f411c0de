import type { Category } from '../../shared/categories.ts';
import { between, byPlace } from '../../shared/order.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { Places } from '../session/optimistic-positions.svelte.ts';
import { RowsByRoom } from '../session/rows.svelte.ts';
import { send } from '../session/socket.ts';

class Categories {
  readonly rows = new RowsByRoom<Category>(({ id }) => id);
  readonly #places = new Places();

  of(serverId: string): Category[] {
    const rows = this.rows.in(serverRoom(serverId))?.values() ?? [];
    return [...rows].map((row) => this.#places.show(row)).sort(byPlace);
  }

  get(serverId: string, id: string | null): Category | undefined {
    return id === null ? undefined : this.rows.in(serverRoom(serverId))?.get(id);
  }

  /** Moves it to the place of `others[to]`, or to the end. The list shows the move before the server answers. */
  move(category: Category, others: readonly Category[], to: number): Promise<void> {
    const [above, below] = [others[to - 1]?.position, others[to]?.position];
    const place = between(above, below);
    return this.#places.during(category, { position: place }, async () => {
      const moved = { categoryId: category.id, position: below ?? place };
      return (await send('category:update', moved)).category;
    });
  }
}

export const categories = new Categories();
