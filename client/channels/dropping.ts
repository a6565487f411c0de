import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import { categories } from '../categories/categories.svelte.ts';
import { collapsed } from '../categories/collapsed.svelte.ts';
import { channels } from './channels.svelte.ts';
import { dragging, type Side } from './dragging.svelte.ts';
import { moving } from './moving.svelte.ts';

export const besideChannel = (channel: Channel) =>
  dragging.target('channel', channel.id, (moved, side) => {
    const { serverId, categoryId } = channel;
    const others = without(moved, channels.under(serverId, categoryId));
    if (moved.id !== channel.id)
      void moving.channel(moved, categoryId, beside(others, channel, side));
  });

/** Into a category or the group without one: to its start, or to its end if it is collapsed. */
export const under = (serverId: string, category?: Category) =>
  dragging.target(
    'channel',
    category?.id ?? serverId,
    (moved) => {
      const categoryId = category?.id ?? null;
      const others = without(moved, channels.under(serverId, categoryId));
      const isCollapsed = category && collapsed.has(category.id);
      void moving.channel(moved, categoryId, isCollapsed ? others.length : 0);
    },
    'below',
  );

export const besideCategory = (category: Category) =>
  dragging.target('category', groupOf(category), (moved, side) => {
    const others = without(moved, categories.of(category.serverId));
    if (moved.id !== category.id) void moving.category(moved, beside(others, category, side));
  });

export const groupOf = ({ id }: Category) => `group ${id}`;

const without = <T extends { id: string }>({ id }: T, all: T[]) =>
  all.filter((one) => one.id !== id);

const beside = <T extends { id: string }>(others: T[], { id }: T, side: Side) =>
  others.findIndex((one) => one.id === id) + (side === 'below' ? 1 : 0);
