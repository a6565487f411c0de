/** Of pins what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const PinLine = later(() => import('./PinLine.svelte'));
export const PinsPane = later(() => import('./PinsPane.svelte'));
