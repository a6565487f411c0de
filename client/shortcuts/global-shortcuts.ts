import { navigation } from '../navigation/navigation.svelte.ts';
import { goToNeighbour } from '../navigation/neighbours.ts';
import { overlay } from '../ui/overlay.svelte.ts';
import { ShortcutList, Switcher } from '../keyboard/dialogs.ts';
import { moveToRegion } from '../keyboard/regions.ts';
import type { Shortcut } from '../keyboard/shortcuts.ts';

export const globalShortcuts: readonly Shortcut[] = [
  {
    keys: ['Mod+k'],
    does: 'Jump to a channel, server or person',
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
    does: 'Previous unread conversation',
    act: () => {
      goToNeighbour(-1, 'unread');
    },
  },
  {
    keys: ['Alt+Shift+ArrowDown'],
    does: 'Next unread conversation',
    act: () => {
      goToNeighbour(1, 'unread');
    },
  },
  {
    keys: ['Mod+Shift+k'],
    does: 'All unread messages',
    act: () => {
      navigation.go({ page: 'unread' });
    },
  },
  {
    keys: ['F6', 'Mod+F6'],
    does: 'Next section',
    act: () => {
      moveToRegion(1);
    },
  },
  {
    keys: ['Shift+F6', 'Mod+Shift+F6'],
    does: 'Previous section',
    act: () => {
      moveToRegion(-1);
    },
  },
  {
    keys: ['Mod+/', '?'],
    does: 'Show this list',
    act: () => {
      overlay.toggle(ShortcutList);
    },
  },
];
