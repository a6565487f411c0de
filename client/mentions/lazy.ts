import { lazy } from '../ui/lazy.ts';

export const CallNote = lazy(() => import('./CallNote.svelte'));
