import { lazy } from '../ui/lazy.ts';

export const Switcher = lazy(() => import('../switcher/Switcher.svelte'));
export const ShortcutList = lazy(() => import('../shortcuts/ShortcutList.svelte'));
