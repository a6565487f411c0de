import { lazy } from '../ui/lazy.ts';

export const HiddenChannels = lazy(() => import('./HiddenChannels.svelte'));
export const ServerItems = lazy(() => import('./ServerItems.svelte'));
