/** Moves channels, categories and servers: shows the result at once and announces it to screen readers. */
import { tick } from 'svelte';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import type { Server } from '../../shared/servers.ts';
import { categories } from '../categories/categories.svelte.ts';
import { notices } from '../navigation/notices.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { favouritesIn } from '../sidebar/favourites.ts';
import { sidebar } from '../sidebar/sidebar.svelte.ts';
import { answers } from '../ui/answers.svelte.ts';
import { errorText } from '../ui/error-text.ts';
import { channels } from './channels.svelte.ts';
import { moveStatus } from './move-status.svelte.ts';

/** Moves it to index `to`, from 0, in a category or among channels without one. */
export async function moveChannel(channel: Channel, categoryId: string | null, to: number) {
  const others = without(channel, channels.under(channel.serverId, categoryId));
  const category = categories.get(channel.serverId, categoryId);
  const where = categoryId === channel.categoryId ? '' : `${category?.name ?? 'the top'}, `;
  await move(channel, `${where}${positionIn(others, to)}`, () =>
    channels.move(channel, categoryId, others, to),
  );
}

export async function moveCategory(category: Category, to: number) {
  const others = without(category, categories.of(category.serverId));
  await moveTo(category, others, to, () => categories.move(category, others, to));
}

export async function moveFavourite(channel: Channel, to: number) {
  const others = without(channel, favouritesIn(channel.serverId));
  await moveTo(channel, others, to, () => sidebar.place('favourites', channel.id, others[to]?.id));
}

export async function moveServer(server: Server, to: number) {
  const others = without(server, servers.mine);
  await move(
    server,
    positionIn(others, to),
    () => sidebar.place('servers', server.id, others[to]?.id),
    onPage,
  );
}

/** Moves an item of any list to the place of `others[to]`, or to the end. */
export const moveTo = (
  item: { id: string; name: string },
  others: readonly unknown[],
  to: number,
  act: () => Promise<void>,
) => move(item, positionIn(others, to), act);

export const without = <T extends { id: string }>({ id }: T, all: readonly T[]): T[] =>
  all.filter((one) => one.id !== id);

const positionIn = (others: readonly unknown[], to: number) =>
  `position ${to + 1} of ${others.length + 1}`;

type Say = (text: string, failed: boolean) => void;

const inList: Say = (text, failed) => {
  [moveStatus.said, moveStatus.failed] = [text, failed];
};

/** The rail of servers is also on pages without a list. */
const onPage: Say = (text, failed) => {
  if (failed) notices.show(text);
  else answers.say({ text, isGood: true, how: 'spoken' });
};

async function move(
  { id, name }: { id: string; name: string },
  where: string,
  act: () => Promise<void>,
  say = inList,
) {
  try {
    await keepFocus(id, act);
    say(`${name} moved to ${where}.`, false);
  } catch (error) {
    say(`${name} wasn’t moved. ${errorText(error)}`, true);
  }
}

/**
 * Restores the focus, which an element loses when it is moved in the page: to the menu of the row, or to the open
 * channel if there is no such row any more.
 */
export async function keepFocus(id: string, act: () => Promise<void>) {
  const list = document.activeElement?.closest('nav, dialog');
  const restore = async () => {
    await tick();
    if (list?.contains(document.activeElement)) return;
    const row = list?.querySelector<HTMLElement>(`[data-row="${id}"] [aria-haspopup]`);
    (row ?? list?.querySelector<HTMLElement>('[aria-current]'))?.focus();
  };
  const done = act();
  await restore();
  await done;
  await restore();
}
