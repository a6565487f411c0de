import type { Shortcut } from '../keyboard/shortcuts.ts';
import { messageParts } from './message-parts.ts';
import type { MessageTarget } from './part.ts';

/** The actions of a message. Each returns `false` if it is not allowed. */
export interface OnMessage extends MessageTarget {
  edit: () => boolean;
  markUnread: () => boolean;
  select: () => boolean;
  delete: (how: 'ask' | 'sure') => boolean;
}

/** Keys that also work on system messages. */
export const lineKeys: readonly Shortcut<OnMessage>[] = [
  { keys: ['e'], does: 'Edit your message', act: (on) => on.edit() },
  { keys: ['u'], does: 'Mark unread', act: (on) => on.markUnread() },
  { keys: ['x'], does: 'Select messages to delete', act: (on) => on.select() },
  { keys: ['Delete'], does: 'Delete', act: (on) => on.delete('ask') },
  { keys: ['Shift+Delete'], does: 'Delete without confirming', act: (on) => on.delete('sure') },
];

export const messageKeys: readonly Shortcut<OnMessage>[] = [
  ...messageParts.flatMap(({ keys = [] }) => keys),
  ...lineKeys,
];

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
