/** Keys in a list of members; ui/roving.svelte.ts handles the arrows. */
import type { Shortcut } from '../keyboard/shortcuts.ts';

export const memberKeys: readonly Pick<Shortcut, 'keys' | 'does'>[] = [
  { keys: ['ArrowUp', 'ArrowDown'], does: 'Previous / next member' },
  { keys: ['Home', 'End'], does: 'First / last member' },
  { keys: ['Enter'], does: 'Open profile' },
];
