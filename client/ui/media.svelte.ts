import { MediaQuery } from 'svelte/reactivity';
import { onePane as wherePanesAreOne } from './one-pane.js';

/** A touch screen: Enter starts a new line, and actions are in a menu. */
export const touch = new MediaQuery('pointer: coarse', false);

export const calm = new MediaQuery('prefers-reduced-motion: reduce', false);

export const onePane = new MediaQuery(wherePanesAreOne, false);
