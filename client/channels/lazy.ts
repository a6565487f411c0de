import { lazy } from '../ui/lazy.ts';

export const SlowNote = lazy(() => import('./SlowNote.svelte'));
