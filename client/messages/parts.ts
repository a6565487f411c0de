/** Of messages what is seldom needed. */
import { later } from '../later.ts';

export const MessageEditor = later(() => import('./MessageEditor.svelte'));
export const PlaceLink = later(() => import('./PlaceLink.svelte'));
