/** Keys in the list of shortcuts that other files handle. Apart from messageKeys.ts, because only the list needs them. */
import type { Shortcut } from '../keyboard/shortcuts.ts';

/** Handled by roving.ts. */
export const movingKeys: readonly Pick<Shortcut, 'keys' | 'does'>[] = [
  { keys: ['ArrowUp', 'ArrowDown'], does: 'Previous / next message' },
  { keys: ['Home', 'End'], does: 'First / last message' },
  { keys: ['Enter'], does: 'Go to links and buttons in the message' },
  { keys: ['ArrowRight', 'ArrowLeft'], does: 'In a message: next / previous link or button' },
  { keys: ['Escape'], does: 'Leave message' },
];

/** Handled by Composer.svelte and TimelineView.svelte. */
export const writingKeys: readonly Pick<Shortcut, 'keys' | 'does'>[] = [
  { keys: ['Enter'], does: 'Send or save' },
  { keys: ['Shift+Enter'], does: 'New line' },
  { keys: ['ArrowUp'], does: 'In an empty field: edit your last message' },
  { keys: ['Escape'], does: 'Cancel, then mark read and jump to latest' },
];
