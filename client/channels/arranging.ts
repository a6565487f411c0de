/** What somebody who arranges channels is asked back, as long as their server is there. */
import { tick } from 'svelte';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import { DeleteCategory, NameCategory } from '../categories/dialogs.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { CreateChannel, MoveChannel } from './dialogs.ts';

const whileThere = <T>(serverId: string, given: T): T | undefined =>
  servers.has(serverId) ? given : undefined;

export function createChannel(serverId: string, categoryId: string | null = null): void {
  overlay.open(CreateChannel, () => whileThere(serverId, { serverId, categoryId }));
}

export function moveChannel(channel: Channel): void {
  overlay.open(MoveChannel, () => whileThere(channel.serverId, { channel }));
}

export function createCategory(serverId: string): void {
  overlay.open(NameCategory, () => whileThere(serverId, { serverId }));
}

export function renameCategory(category: Category): void {
  const { serverId } = category;
  overlay.open(NameCategory, () => whileThere(serverId, { serverId, category }));
}

/** What asked goes with it, and the focus: that goes to the beginning of the list. */
export function deleteCategory(category: Category): void {
  const list = document.activeElement?.closest('nav, dialog');
  const ondeleted = () => void tick().then(() => list?.querySelector('button')?.focus());
  overlay.open(DeleteCategory, () => whileThere(category.serverId, { category, ondeleted }));
}
