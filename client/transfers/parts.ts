/** Of transfers what is seldom needed. */
import { later } from '../later.ts';

export const TransferBar = later(() => import('./TransferBar.svelte'));
