import { lazy } from '../ui/lazy.ts';

export const UpdateBanner = lazy(() => import('./UpdateBanner.svelte'));
