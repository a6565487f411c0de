import type { Category } from '../../shared/categories.ts';
import { serverRoom } from '../../shared/rooms.ts';
import { byPlace } from '../order.ts';
import { RowsByRoom } from '../rows.svelte.ts';

class Categories {
  readonly rows = new RowsByRoom<Category>(({ id }) => id);

  /** In the order that its moderators gave them. */
  of(serverId: string): Category[] {
    const rows = this.rows.in(serverRoom(serverId))?.values() ?? [];
    return [...rows].sort(byPlace);
  }
}

export const categories = new Categories();
