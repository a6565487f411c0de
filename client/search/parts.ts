/** Of search what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const SearchPane = later(() => import('./SearchPane.svelte'));
