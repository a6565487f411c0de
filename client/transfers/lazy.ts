import { lazy } from '../ui/lazy.ts';

export const TransferBar = lazy(() => import('./TransferBar.svelte'));
