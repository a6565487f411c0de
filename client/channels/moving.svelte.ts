/** Moves channels and categories: shows the result at once and announces it to screen readers. */
import { tick } from 'svelte';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import { categories } from '../categories/categories.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { channels } from './channels.svelte.ts';

class Moving {
  said = $state('');
  failed = $state(false);

  /** Moves it to index `to`, from 0, in a category or among channels without one. */
  async channel(channel: Channel, categoryId: string | null, to: number) {
    const others = channels.under(channel.serverId, categoryId).filter(isOther(channel));
    const category = categories.get(channel.serverId, categoryId);
    const where = categoryId === channel.categoryId ? '' : `${category?.name ?? 'the top'}, `;
    await this.#move(channel, `${where}position ${to + 1} of ${others.length + 1}`, () =>
      channels.move(channel, categoryId, others, to),
    );
  }

  async category(category: Category, to: number) {
    const others = categories.of(category.serverId).filter(isOther(category));
    await this.#move(category, `position ${to + 1} of ${others.length + 1}`, () =>
      categories.move(category, others, to),
    );
  }

  async #move(
    { id, name }: { id: string; name: string },
    where: string,
    move: () => Promise<void>,
  ) {
    const list = document.activeElement?.closest('nav, dialog');
    try {
      const moved = move();
      // Restores the focus, which an element loses when it is moved in the page.
      await tick();
      list?.querySelector<HTMLElement>(`[data-row="${id}"] [aria-haspopup]`)?.focus();
      await moved;
      this.failed = false;
      this.said = `${name} moved to ${where}.`;
    } catch (error) {
      this.failed = true;
      this.said = `${name} wasn’t moved. ${errorText(error)}`;
    }
  }
}

const isOther =
  ({ id }: { id: string }) =>
  (one: { id: string }) =>
    one.id !== id;

export const moving = new Moving();
