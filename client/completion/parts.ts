/** Of completion what is seldom needed: not before somebody has typed. */
import { later } from '../ui/lazy.ts';

export const CompletionList = later(() => import('./CompletionList.svelte'));
