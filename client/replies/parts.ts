/** Of replies what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const ReplyBar = later(() => import('./ReplyBar.svelte'));
