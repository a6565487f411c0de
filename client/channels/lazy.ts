import { lazy } from '../ui/lazy.ts';

export const MoveItems = lazy(() => import('./MoveItems.svelte'));
export const SlowNote = lazy(() => import('./SlowNote.svelte'));
