/** Of transfers what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const TransferBar = later(() => import('./TransferBar.svelte'));
