/** Moves what the user drops. Loads in the background after sign-in. */
import { categories } from '../categories/categories.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { favouritesIn } from '../sidebar/favourites.ts';
import { sidebar } from '../sidebar/sidebar.svelte.ts';
import { channels } from './channels.svelte.ts';
import type { DropPlaces, DragItems, Side } from './dragging.svelte.ts';
import { moveCategory, moveChannel, moveFavourite, moveServer, without } from './moving.ts';

type Drops = {
  [K in keyof DragItems]: (moved: DragItems[K], at: DropPlaces[K], side: Side) => Promise<void>;
};

export const drops: Drops = {
  async channel(moved, at, side) {
    if ('categoryId' in at) {
      const others = without(moved, channels.under(at.serverId, at.categoryId));
      await moveChannel(moved, at.categoryId, beside(others, at, side));
    } else {
      // To the start of a group, or to the end of a collapsed one.
      const categoryId = at.category?.id ?? null;
      const others = without(moved, channels.under(at.serverId, categoryId));
      const isCollapsed = categoryId !== null && sidebar.has('collapsed', categoryId);
      await moveChannel(moved, categoryId, isCollapsed ? others.length : 0);
    }
  },
  async category(moved, at, side) {
    const others = without(moved, categories.of(at.serverId));
    await moveCategory(moved, beside(others, at, side));
  },
  async favourite(moved, at, side) {
    const others = without(moved, favouritesIn(at.serverId));
    await moveFavourite(moved, beside(others, at, side));
  },
  async server(moved, at, side) {
    await moveServer(moved, beside(without(moved, servers.mine), at, side));
  },
};

const beside = <T extends { id: string }>(others: T[], { id }: T, side: Side) =>
  others.findIndex((one) => one.id === id) + (side === 'below' ? 1 : 0);
