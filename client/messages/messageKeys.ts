/** What keys do to the message that has the focus. */
import type { Shortcut } from '../keyboard/shortcuts.ts';

/** What can be done with it; each answers `false` if it may not be done. */
export interface OnMessage {
  edit: () => boolean;
  delete: (how: 'ask' | 'sure') => boolean;
}

export const messageKeys: readonly Shortcut<OnMessage>[] = [
  { keys: ['e'], does: 'Edit, if it is mine', act: (on) => on.edit() },
  { keys: ['Delete'], does: 'Delete', act: (on) => on.delete('ask') },
  { keys: ['Shift+Delete'], does: 'Delete without a question', act: (on) => on.delete('sure') },
];

/** roving.ts moves. */
export const movingKeys: readonly Pick<Shortcut, 'keys' | 'does'>[] = [
  { keys: ['ArrowUp', 'ArrowDown'], does: 'Message before, message after' },
  { keys: ['Home', 'End'], does: 'First, last' },
  { keys: ['Enter'], does: 'Into the message: its links and buttons' },
  { keys: ['Escape'], does: 'Out of it again' },
];

/** Composer.svelte and TimelineView.svelte. */
export const writingKeys: readonly Pick<Shortcut, 'keys' | 'does'>[] = [
  { keys: ['Enter'], does: 'Send, or save' },
  { keys: ['Shift+Enter'], does: 'A new line' },
  { keys: ['ArrowUp'], does: 'In an empty field: edit my last message' },
  { keys: ['Escape'], does: 'Cancel; then mark as read, and go to the latest' },
];
