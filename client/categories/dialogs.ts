import { lazy } from '../ui/lazy.ts';

export const DeleteCategory = lazy(() => import('./DeleteCategory.svelte'));
export const NameCategory = lazy(() => import('./NameCategory.svelte'));
