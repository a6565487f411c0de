import { lazy } from '../ui/lazy.ts';

export const CategoryMenu = lazy(() => import('./CategoryMenu.svelte'));
