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
