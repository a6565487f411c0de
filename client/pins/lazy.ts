import { lazy } from '../ui/lazy.ts';

export const PinLine = lazy(() => import('./PinLine.svelte'));
export const PinsPane = lazy(() => import('./PinsPane.svelte'));
