/** Keys that mean the same wherever one is. */
import { goToNeighbour } from '../navigation/neighbours.ts';
import { overlay } from '../overlay.svelte.ts';
import { ShortcutList, Switcher } from './dialogs.ts';
import { moveToRegion } from './regions.ts';
import type { Shortcut } from './shortcuts.ts';

export const everywhere: readonly Shortcut[] = [
  {
    keys: ['Mod+k'],
    does: 'Jump to a channel, a server or a person',
    act: () => {
      overlay.toggle(Switcher);
    },
  },
  {
    keys: ['Alt+ArrowUp'],
    does: 'Previous channel or conversation',
    act: () => {
      goToNeighbour(-1, 'any');
    },
  },
  {
    keys: ['Alt+ArrowDown'],
    does: 'Next channel or conversation',
    act: () => {
      goToNeighbour(1, 'any');
    },
  },
  {
    keys: ['Alt+Shift+ArrowUp'],
    does: 'Previous unread one',
    act: () => {
      goToNeighbour(-1, 'unread');
    },
  },
  {
    keys: ['Alt+Shift+ArrowDown'],
    does: 'Next unread one',
    act: () => {
      goToNeighbour(1, 'unread');
    },
  },
  {
    keys: ['F6', 'Mod+F6'],
    does: 'Next part of the page',
    act: () => {
      moveToRegion(1);
    },
  },
  {
    keys: ['Shift+F6', 'Mod+Shift+F6'],
    does: 'Part of the page before',
    act: () => {
      moveToRegion(-1);
    },
  },
  {
    keys: ['Mod+/', '?'],
    does: 'This list',
    act: () => {
      overlay.toggle(ShortcutList);
    },
  },
];
