/** Keys in the lists of unread places and mentions. The arrow keys are in ui/roving.svelte.ts. */
import type { Shortcut } from '../keyboard/shortcuts.ts';

/** The actions in a list. Each returns `false` if it does not apply. */
export interface OnList {
  move: (step: 1 | -1) => boolean;
  done: () => boolean;
  undo: () => boolean;
}

export const unreadKeys: readonly Shortcut<OnList>[] = [
  { keys: ['ArrowDown', 'j'], does: 'Next place or mention', act: (on) => on.move(1) },
  { keys: ['ArrowUp', 'k'], does: 'Previous place or mention', act: (on) => on.move(-1) },
  { keys: ['Enter'], does: 'Open at the first unread message, or at the mention' },
  { keys: ['e'], does: 'Done: mark read up to here, and go to the next', act: (on) => on.done() },
  { keys: ['z'], does: 'Undo the last Done', act: (on) => on.undo() },
];

/** The same keys without single letters. */
export const heldUnreadKeys = unreadKeys.map(({ keys, ...rest }) => ({
  ...rest,
  keys: keys.filter((key) => key.length > 1),
}));
