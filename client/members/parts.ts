/** Of members what is seldom needed. */
import { later } from '../later.ts';

export const Crowd = later(() => import('./Crowd.svelte'));
