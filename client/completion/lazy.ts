import { lazy } from '../ui/lazy.ts';

export const CompletionList = lazy(() => import('./CompletionList.svelte'));
