/** What is asked about a category, and seldom. */
import { later } from '../ui/lazy.ts';

export const DeleteCategory = later(() => import('./DeleteCategory.svelte'));
export const NameCategory = later(() => import('./NameCategory.svelte'));
