/** What is said where a part of the page does not come, and what says it in place of a dialog. */
import { later } from './lazy.ts';

export const partFailed = {
  title: 'Part of Parley didn’t load',
  text: 'The connection failed, or Parley was updated. Reload to try again.',
};

export const PartFailed = later(() => import('./PartFailed.svelte'));
