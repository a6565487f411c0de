/** What keys open. */
import { later } from '../ui/lazy.ts';

export const Switcher = later(() => import('../switcher/Switcher.svelte'));
export const ShortcutList = later(() => import('./ShortcutList.svelte'));
