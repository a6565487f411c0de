/** Of members what is seldom needed. */
import { later } from '../ui/lazy.ts';

export const Crowd = later(() => import('./LargeMemberList.svelte'));
