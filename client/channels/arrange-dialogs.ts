/** Dialogs for arranging channels. They close when their server is removed. */
import { tick } from 'svelte';
import type { Category } from '../../shared/categories.ts';
import type { Channel } from '../../shared/channels.ts';
import { DeleteCategory, NameCategory } from '../categories/dialogs.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { servers } from '../servers/servers.svelte.ts';
import { CreateChannel, MoveChannel } from './dialogs.ts';

const whileThere = <T>(serverId: string, given: T): T | undefined =>
  servers.has(serverId) ? given : undefined;

export function showCreateChannel(serverId: string, categoryId: string | null = null): void {
  overlay.open(CreateChannel, () => whileThere(serverId, { serverId, categoryId }));
}

export function showMoveChannel(channel: Channel): void {
  overlay.open(MoveChannel, () => whileThere(channel.serverId, { channel }));
}

export function showCreateCategory(serverId: string): void {
  overlay.open(NameCategory, () => whileThere(serverId, { serverId }));
}

export function showRenameCategory(category: Category): void {
  const { serverId } = category;
  overlay.open(NameCategory, () => whileThere(serverId, { serverId, category }));
}

/** Moves the focus to the start of the list, because the focused element is deleted with the category. */
export function showDeleteCategory(category: Category): void {
  const list = document.activeElement?.closest('nav, dialog');
  const ondeleted = () => void tick().then(() => list?.querySelector('button')?.focus());
  overlay.open(DeleteCategory, () => whileThere(category.serverId, { category, ondeleted }));
}
