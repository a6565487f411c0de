import { lazy } from '../ui/lazy.ts';

export const SearchPane = lazy(() => import('./SearchPane.svelte'));
