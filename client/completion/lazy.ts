/** Rarely used components of completion, loaded once the user types. */
import { lazy } from '../ui/lazy.ts';

export const CompletionList = lazy(() => import('./CompletionList.svelte'));
