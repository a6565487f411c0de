/** Of calls what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const CallNote = later(() => import('./CallNote.svelte'));
