import { lazy } from '../ui/lazy.ts';

export const ChannelItems = lazy(() => import('./ChannelItems.svelte'));
export const SlowNote = lazy(() => import('./SlowNote.svelte'));
